//! The first columns of a block of reflectors, multiplied out in place.
//!
//! Shapes: the panel is `m x n` (stored by rows: `n x m`); `k <= n` reflectors stand in its first
//! `k` columns, below the diagonal that begins at row `offset`, with `n <= m - offset`, and `T` is
//! their triangle. Overwrites the rows from `offset` on by the first `n` columns of
//! `I - V T V^H` and the rows above by zeros. Cannot fail.
//! Source: LAPACK's `orgqr` and `org2r`.

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
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The multiplication with its arguments; buffers `[A: RW, T: R]`.
#[derive(Clone, Copy, Debug)]
pub struct Ungqr<T> {
    /// How the reflectors are stored.
    pub storev: Storev,
    /// Rows of the panel, or columns if it is stored by rows.
    pub m: usize,
    /// Columns of the panel, or rows.
    pub n: usize,
    /// Number of reflectors, at most `n`.
    pub k: usize,
    /// Row, or column, of the first reflector's one.
    pub offset: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Ungqr<T> {
    const NAME: &'static str = "ungqr";
    const ACCESS: &'static [Access] = &[Access::RW, Access::R];

    fn cost(&self) -> Cost {
        let &Self { m, n, k, offset, .. } = self;
        let flops = 2.0 * product(&[m - offset, n, k]) + product(&[k, k, n]);
        Cost { flops, bytes: bytes::<T>(&[2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.storev.stored(self.m, self.n);
        let a = TileMut::of(buffers, 0, rows, cols);
        self.compute(T::blas(backend::current()), a, TileRef::of(buffers, 1, self.k, self.k));
        Ok(())
    }

    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
