//! The product by a backend.

use super::Gemv;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Gemv<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileRef<'_, T>,
        x: TileRef<'_, T>,
        y: TileMut<'_, T>,
    ) {
        blas.gemv(self.alpha, self.trans.of(a), x, self.beta, y);
    }
}
