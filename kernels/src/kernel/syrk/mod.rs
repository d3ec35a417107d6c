//! Symmetric or Hermitian product: one triangle of `C = alpha op(A) op(A)' + beta C`, or with the
//! conjugate transpose in place of the transpose.
//!
//! Shapes: `op(A)` is `n x k`, `C` is `n x n`. Reads `A` and, unless `beta` is zero, the triangle
//! `uplo` of `C`; overwrites that triangle. Of a Hermitian product, the real parts of `alpha` and
//! `beta` count, and imaginary parts on the diagonal of `C` are taken as zero and set to it. The
//! other triangle is neither read nor written. Cannot fail. Source: Dongarra et al., ACM TOMS 16
//! (1990); flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
pub(super) mod packed;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use cpu::{lower, make_diagonal_real};
pub(super) use list_entry::ListEntry;
pub use packed::SyrkPacked;

/// The symmetric product with its arguments; buffers `[A: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Syrk<T> {
    /// Symmetric or Hermitian.
    pub form: Form,
    /// The triangle of `C` that counts.
    pub uplo: Uplo,
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Order of `C`.
    pub n: usize,
    /// Columns of `op(A)`.
    pub k: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Syrk<T> {
    /// The factors that count.
    fn factors(&self) -> (T, T) {
        match self.form {
            Form::Symmetric => (self.alpha, self.beta),
            Form::Hermitian => (T::from_real(self.alpha.re()), T::from_real(self.beta.re())),
        }
    }
}

impl<T: Scalar> Codelet for Syrk<T> {
    const NAME: &'static str = "syrk";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { n, k, .. } = self;
        Cost { flops: product(&[k, n, n + 1]), bytes: bytes::<T>(&[n * k, n * (n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.n, self.k);
        let a = TileRef::of(buffers, 0, rows, cols);
        let c = TileMut::of(buffers, 1, self.n, self.n);
        self.compute(T::blas(backend::current()), a, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
