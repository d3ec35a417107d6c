//! Squared lengths of columns, added up: `s_j = s_j + sum_i a_ij^2`.
//!
//! Shapes: `A` is `m x n`, `s` holds `n` numbers. Reads `A` and `s`; overwrites `s`. Cannot fail.
//! With `A = L^-1 k` it is the variance that observations explain (Rasmussen, Williams, "Gaussian
//! processes for machine learning", 2006, algorithm 2.1).

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::{bytes, product};
use crate::scalar::Real;
use crate::tile::TileRef;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The sums with their arguments; buffers `[A: R, s: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSquares<T> {
    /// Rows of `A`.
    pub m: usize,
    /// Columns of `A`.
    pub n: usize,
    precision: PhantomData<T>,
}

impl<T: Real> ColumnSquares<T> {
    /// The sums over an `m x n` tile.
    #[must_use]
    pub const fn new(m: usize, n: usize) -> Self {
        Self { m, n, precision: PhantomData }
    }
}

impl<T: Real> Codelet for ColumnSquares<T> {
    const NAME: &'static str = "column-squares";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 2.0 * product(&[m, n]), bytes: bytes::<T>(&[m * n, 2 * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::<T>::of(buffers, 0, self.m, self.n);
        self.compute(a, buffers.write(1));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
