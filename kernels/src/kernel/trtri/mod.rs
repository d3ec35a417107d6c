//! Inverse of a triangular tile, in place: `A = inv(A)`.
//!
//! Shape: `A` is `n x n`. Reads and overwrites the triangle `uplo` (without its diagonal if that is
//! unit); the rest is neither read nor written. Fails with `SingularTriangle` when a stored
//! diagonal entry is zero; the tile is then unchanged. Source: Golub, Van Loan, "Matrix
//! computations", 3.1; flops as in LAWN 41.

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
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;

/// The inversion with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Trtri<T> {
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Whether the diagonal is stored.
    pub diag: Diag,
    /// Order of the tile.
    pub n: usize,
    /// First row of the tile in the whole matrix: added to the index that a failure reports.
    pub offset: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> Trtri<T> {
    /// Inversion of a tile of `n` rows that begins at row `offset` of the whole matrix.
    #[must_use]
    pub const fn new(uplo: Uplo, diag: Diag, n: usize, offset: usize) -> Self {
        Self { uplo, diag, n, offset, precision: PhantomData }
    }

    fn lower<'a>(&self, a: TileMut<'a, T>) -> TileMut<'a, T> {
        match self.uplo {
            Uplo::Lower => a,
            Uplo::Upper => a.transposed(),
        }
    }
}

impl<T: Scalar> Codelet for Trtri<T> {
    const NAME: &'static str = "trtri";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        let n = self.n as f64;
        Cost { flops: n * (n * n + 2.0) / 3.0, bytes: bytes::<T>(&[self.n * (self.n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileMut::of(buffers, 0, self.n, self.n);
        Ok(self.compute(T::blas(backend::current()), a)?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
