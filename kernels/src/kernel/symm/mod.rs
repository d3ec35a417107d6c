//! Product with a symmetric or Hermitian matrix: `C = alpha A B + beta C` on the left,
//! `C = alpha B A + beta C` on the right.
//!
//! Shapes: `B` and `C` are `m x n`; `A` is of order `m` on the left and `n` on the right. Reads the
//! triangle `uplo` of `A`, `B` and, unless `beta` is zero, `C`; overwrites `C`. Imaginary parts on
//! the diagonal of a Hermitian matrix do not count. Cannot fail. Source: Dongarra et al., ACM TOMS
//! 16 (1990), xSYMM and xHEMM; flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product, triangular};
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Symm<T> {
    /// Symmetric or Hermitian.
    pub form: Form,
    /// On which side of `B` the matrix `A` stands.
    pub side: Side,
    /// The triangle of `A` that counts.
    pub uplo: Uplo,
    /// Rows of `C`.
    pub m: usize,
    /// Columns of `C`.
    pub n: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Symm<T> {
    /// Order of `A`.
    #[must_use]
    pub fn order(&self) -> usize {
        triangular::order(self.side, self.m, self.n)
    }
}

impl<T: Scalar> Codelet for Symm<T> {
    const NAME: &'static str = "symm";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (m, n, order) = (self.m, self.n, self.order());
        let bytes = bytes::<T>(&[order * (order + 1) / 2, 3 * m * n]);
        Cost { flops: 2.0 * product(&[m, n, order]), bytes }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::of(buffers, 0, self.order(), self.order());
        let b = TileRef::of(buffers, 1, self.m, self.n);
        let c = TileMut::of(buffers, 2, self.m, self.n);
        self.compute(T::blas(backend::current()), a, b, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
