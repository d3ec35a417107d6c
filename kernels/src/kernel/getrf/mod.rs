//! LU factorization of a panel with partial pivoting: `P A = L U`, in place, from row `first` on.
//!
//! Shapes: the tile is `m x n`, a column of blocks of which the rows from `first` on are the panel.
//! Overwrites them with `U` on and above the diagonal of the panel and `L`, whose unit diagonal is
//! not stored, below; `pivots` gets a row of the tile for each step, the one that step `i`
//! exchanged with row `first + i`: the one whose entry has the largest `|re| + |im|`. So does
//! `all`, from place `first` on. Rows above `first` are not touched. A step whose pivots are all
//! zero does nothing, as in LAPACK; the first such step of the whole matrix is kept, counted from
//! 1, in `singular` (zero: none). Source: Toledo, SIAM J. Matrix Anal. Appl. 18 (1997); flops as in
//! LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use super::getrf_nopiv::flops;
use crate::backend;
use crate::kernel::bytes;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The factorization with its arguments; buffers `[A: RW, pivots: W, all: RW, singular: RW]`, of
/// which `pivots` are [`steps`](Self::steps) `u32`, `all` those of the whole matrix, and `singular`
/// is one `u64`.
#[derive(Clone, Copy, Debug)]
pub struct Getrf<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// First row of the panel, and its column in the whole matrix.
    pub first: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> Getrf<T> {
    /// Factorization of the rows from `first` on of an `m x n` tile.
    ///
    /// # Panics
    /// If there is no row `first`, or rows do not fit 32 bits.
    #[must_use]
    pub fn new(m: usize, n: usize, first: usize) -> Self {
        assert!(first <= m && u32::try_from(m).is_ok(), "a panel from row {first} of {m} on");
        Self { m, n, first, precision: PhantomData }
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        (self.m - self.first).min(self.n)
    }
}

impl<T: Scalar> Codelet for Getrf<T> {
    const NAME: &'static str = "getrf";
    const ACCESS: &'static [Access] = &[Access::RW, Access::W, Access::RW, Access::RW];

    fn cost(&self) -> Cost {
        let rows = self.m - self.first;
        Cost { flops: flops(rows, self.n), bytes: bytes::<T>(&[2 * rows * self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileMut::of(buffers, 0, self.m, self.n);
        let (pivots, all) = (buffers.write::<u32>(1), buffers.write::<u32>(2));
        let singular = buffers.write::<u64>(3);
        let failed = self.compute(T::blas(backend::current()), a, pivots);
        all[self.first..][..pivots.len()].copy_from_slice(pivots);
        if let (0, Some(step)) = (singular[0], failed) {
            singular[0] = (step + 1) as u64;
        }
        Ok(())
    }

    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
