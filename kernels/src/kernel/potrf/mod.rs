//! Cholesky factorization of a tile: `A = L L^H` (lower) or `A = U^H U` (upper).
//!
//! Shape: `A` is `n x n`. Reads and overwrites the triangle `uplo`; the other one is neither read
//! nor written. Fails with `NotPositiveDefinite` when a pivot is not a positive finite number, NaN
//! included; the triangle is then partly overwritten. Source: Golub, Van Loan, "Matrix
//! computations", 4.2; flops as in LAWN 41.

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
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The factorization with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Potrf<T> {
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Order of the tile.
    pub n: usize,
    /// First row of the tile in the whole matrix: added to the order that a failure reports.
    pub offset: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> Potrf<T> {
    /// Factorization of a tile of `n` rows that begins at row `offset` of the whole matrix.
    #[must_use]
    pub const fn new(uplo: Uplo, n: usize, offset: usize) -> Self {
        Self { uplo, n, offset, precision: PhantomData }
    }

    fn lower<'a>(&self, a: TileMut<'a, T>) -> TileMut<'a, T> {
        match self.uplo {
            Uplo::Lower => a,
            Uplo::Upper => a.transposed(),
        }
    }
}

impl<T: Scalar> Codelet for Potrf<T> {
    const NAME: &'static str = "potrf";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        let n = self.n as f64;
        let flops = n * (n * (n / 3.0 + 0.5) + 1.0 / 6.0);
        Cost { flops, bytes: bytes::<T>(&[self.n * (self.n + 1)]) }
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
