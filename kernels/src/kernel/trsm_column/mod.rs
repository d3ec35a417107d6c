//! One step of a triangular solve from the left with a matrix in columns of blocks.
//!
//! Shapes: a column of blocks of the triangular matrix is an `m x k` tile, its triangle `T1` in the
//! `k` rows from `first` on, its rest `T2` in the rows below (lower) or above (upper); `B` is
//! `m x n`. Without transposition, the rows `B1` of `B` beside the triangle become `inv(T1) B1`,
//! then those beside the rest `B2 - T2 B1`; with it, `B1` becomes `inv(op(T1)) (B1 - op(T2) B2)`. A
//! zero on the diagonal gives infinities, as in BLAS. Source: Golub, Van Loan, "Matrix
//! computations", 3.1.2 and 3.1.3.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;
use std::ops::Range;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::bytes;
use crate::option::{Diag, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The step with its arguments; buffers `[T: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct TrsmColumn<T> {
    /// The triangle of the matrix that counts.
    pub uplo: Uplo,
    /// Whether the matrix enters transposed.
    pub trans: Trans,
    /// Whether its diagonal is stored.
    pub diag: Diag,
    /// Rows of both tiles.
    pub m: usize,
    /// Columns of `B`.
    pub n: usize,
    /// Columns of the column of blocks.
    pub k: usize,
    /// First row of its triangle.
    pub first: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T> TrsmColumn<T> {
    /// The rows beside the triangle.
    fn triangle(&self) -> Range<usize> {
        self.first..self.first + self.k
    }

    /// The rows of the rest.
    fn rest(&self) -> Range<usize> {
        match self.uplo {
            Uplo::Lower => self.first + self.k..self.m,
            Uplo::Upper => 0..self.first,
        }
    }
}

impl<T: Scalar> Codelet for TrsmColumn<T> {
    const NAME: &'static str = "trsm_column";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (k, n, rest) = (self.k as f64, self.n as f64, self.rest().len() as f64);
        let read = self.k * (self.k / 2 + self.rest().len());
        let bytes = bytes::<T>(&[read, 2 * (self.k + self.rest().len()) * self.n]);
        Cost { flops: k * k * n + 2.0 * rest * k * n, bytes }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let t = TileRef::of(buffers, 0, self.m, self.k);
        let b = TileMut::of(buffers, 1, self.m, self.n);
        self.compute(T::blas(backend::current()), t, b);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
