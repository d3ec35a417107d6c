//! The symmetric product by a backend.

use super::Syrk;
use crate::backend::Blas;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syrk<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileRef<'_, T>, c: TileMut<'_, T>) {
        // The product is symmetric: the upper triangle is the lower one of the transposed view.
        let lower = if self.uplo == Uplo::Lower { c } else { c.transposed() };
        blas.syrk(self.alpha, self.trans.of(a), self.beta, lower);
    }
}
