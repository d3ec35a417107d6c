//! The product by a backend.

use super::Gemm;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Gemm<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileRef<'_, T>,
        b: TileRef<'_, T>,
        c: TileMut<'_, T>,
    ) {
        blas.gemm(self.alpha, self.trans_a.of(a), self.trans_b.of(b), self.beta, c);
    }
}
