//! QR factorization of a triangle above a tile: `[R; B] = Q [R; 0]`, in place.
//!
//! Shapes: `R` is the upper triangle of order `n` of a tile of `top >= n` rows; `B` is `m x n`,
//! whole or itself an upper triangle, whose other entries are neither read nor written. Overwrites
//! `R` and `B`, the latter by the reflectors, and writes the triangles of blocks of `ib` of them
//! side by side (`min(ib, n) x n`, zeros below their diagonals). Known as `tsqrt` and `ttqrt`.
//! Cannot fail; NaN passes through. Source: LAPACK's `tpqrt`; Buttari, Langou, Kurzak, Dongarra,
//! Parallel Computing 35 (2009).

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::Below;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;
#[cfg(test)]
pub(super) use trial::triangle;

/// The factorization with its arguments; buffers `[R: RW, B: RW, T: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Tpqrt<T> {
    /// What of `B` counts.
    pub below: Below,
    /// Rows of the tile with the triangle `R`.
    pub top: usize,
    /// Rows of `B`.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Reflectors of a block.
    pub ib: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Tpqrt<T> {
    const NAME: &'static str = "tpqrt";
    const ACCESS: &'static [Access] = &[Access::RW, Access::RW, Access::W];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        // A triangle has half of the entries in each step, a third of them in all.
        let share = if self.below == Below::Square { 2.0 } else { 2.0 / 3.0 };
        Cost { flops: share * product(&[m, n, n]), bytes: bytes::<T>(&[n * n, 2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { top, m, n, ib, .. } = self;
        let (r, b) = (TileMut::of(buffers, 0, top, n), TileMut::of(buffers, 1, m, n));
        let t = TileMut::of(buffers, 2, ib.min(n), n);
        self.compute(T::blas(backend::current()), r, b, t);
        Ok(())
    }

    /// On devices, of real numbers.
    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
