//! Symmetric or Hermitian product of two matrices: one triangle of
//! `C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C`, or with conjugate transposes, and the
//! conjugate of the second `alpha`.
//!
//! Shapes: `op(A)` and `op(B)` are `n x k`, `C` is `n x n`. Reads `A`, `B` and, unless `beta` is
//! zero, the triangle `uplo` of `C`; overwrites that triangle, and nothing else. Of a Hermitian
//! product the real part of `beta` counts, and the diagonal of `C` becomes real. Cannot fail.
//! Source: Dongarra et al., ACM TOMS 16 (1990), xSYR2K and xHER2K; flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Syr2k<T> {
    /// Symmetric or Hermitian.
    pub form: Form,
    /// The triangle of `C` that counts.
    pub uplo: Uplo,
    /// Whether `A` and `B` enter transposed.
    pub trans: Trans,
    /// Order of `C`.
    pub n: usize,
    /// Columns of `op(A)` and `op(B)`.
    pub k: usize,
    /// Factor of the first product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Syr2k<T> {
    /// The factors of both products and of the old `C`.
    fn factors(&self) -> (T, T, T) {
        let &Self { alpha, beta, .. } = self;
        match self.form {
            Form::Symmetric => (alpha, alpha, beta),
            Form::Hermitian => (alpha, alpha.conj(), T::from_real(beta.re())),
        }
    }
}

impl<T: Scalar> Codelet for Syr2k<T> {
    const NAME: &'static str = "syr2k";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { n, k, .. } = self;
        Cost { flops: 2.0 * product(&[k, n, n + 1]), bytes: bytes::<T>(&[2 * n * k, n * (n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.n, self.k);
        let a = TileRef::of(buffers, 0, rows, cols);
        let b = TileRef::of(buffers, 1, rows, cols);
        let c = TileMut::of(buffers, 2, self.n, self.n);
        self.compute(T::blas(backend::current()), a, b, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
