//! The triangle of a block of reflectors: `H(1) ... H(k) = I - V T V^H`.
//!
//! Shapes: the reflectors stand in the first `k` columns of a panel of `m x n` (stored by rows: in
//! the first `k` rows of `n x m`), below the diagonal that begins at row `offset`; `tau` holds
//! their `k` factors. Writes the `k x k` triangle `T`, with zeros below its diagonal: the one that
//! `geqrt` has made of the same panel. Cannot fail.
//! Source: Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10 (1989), algorithm 1.

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

/// The triangle with its arguments; buffers `[V: R, TAU: R, T: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Larft<T> {
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

impl<T: Scalar> Codelet for Larft<T> {
    const NAME: &'static str = "larft";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let (m, k) = (self.m - self.offset, self.k);
        Cost { flops: product(&[m, k, k]), bytes: bytes::<T>(&[m * k, k * k]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let ((rows, cols), k) = (self.storev.stored(self.m, self.n), self.k);
        let v = TileRef::of(buffers, 0, rows, cols);
        let (tau, t) = (TileRef::of(buffers, 1, k, 1), TileMut::of(buffers, 2, k, k));
        self.compute(T::blas(backend::current()), v, tau, t);
        Ok(())
    }

    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
