//! Factorisation of a symmetric or Hermitian tile without pivoting: `A = L D L'`, or `L D L^H`, in
//! place.
//!
//! Shape: `A` is `n x n`. Reads the triangle `uplo` and overwrites it with `D` on the diagonal and
//! `L`, whose unit diagonal is not stored, or with `U = L'` (`L^H`); the other triangle is neither
//! read nor written. Fails with `SingularPivot` when a pivot is zero or not finite; the triangle is
//! then partly overwritten. As good as the matrix allows: definite and diagonally dominant ones are
//! safe. Source: Golub, Van Loan, "Matrix computations", 4th edition, 4.1; flops as for Cholesky's
//! factorisation.

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
use crate::option::{Form, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use cpu::divide_columns;
pub(crate) use cuda::SOURCE;
pub(super) use cuda::divide_columns_on;
pub(super) use list_entry::ListEntry;

/// The factorisation with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Ldlt<T> {
    /// Symmetric or Hermitian.
    pub form: Form,
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Order of the tile.
    pub n: usize,
    /// First row of the tile in the whole matrix: added to the index that a failure reports.
    pub offset: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Ldlt<T> {
    const NAME: &'static str = "ldlt";
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
