//! LU factorization of a tile without pivoting: `A = L U`, in place.
//!
//! Shape: `A` is `m x n`. Overwrites it with `U` on and above the diagonal and `L`, whose unit
//! diagonal is not stored, below. Fails with `SingularPivot` when a pivot is zero or not finite;
//! the tile is then partly overwritten. Without pivoting the factors are only as good as the
//! matrix allows: diagonally dominant matrices are safe. Source: Golub, Van Loan, "Matrix
//! computations", 3.2; flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::bytes;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The factorization with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct GetrfNopiv<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// First row of the tile in the whole matrix: added to the index that a failure reports.
    pub offset: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> GetrfNopiv<T> {
    /// Factorization of an `m x n` tile that begins at row `offset` of the whole matrix.
    #[must_use]
    pub const fn new(m: usize, n: usize, offset: usize) -> Self {
        Self { m, n, offset, precision: PhantomData }
    }
}

/// Flops of the factorization of an `m x n` matrix (LAWN 41).
#[must_use]
pub fn flops(m: usize, n: usize) -> f64 {
    // `s` steps, `l` the longer side.
    let (s, l) = (m.min(n) as f64, m.max(n) as f64);
    let multiplications = 0.5 * s * (s * (l - s / 3.0 - 1.0) + l) + 2.0 * s / 3.0;
    let additions = 0.5 * s * (s * (l - s / 3.0) - l) + s / 6.0;
    multiplications + additions
}

impl<T: Scalar> Codelet for GetrfNopiv<T> {
    const NAME: &'static str = "getrf_nopiv";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: flops(m, n), bytes: bytes::<T>(&[2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileMut::of(buffers, 0, self.m, self.n);
        Ok(self.compute(T::blas(backend::current()), a)?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
