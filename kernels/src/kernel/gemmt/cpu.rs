//! The product by a backend.

use super::Gemmt;
use crate::backend::Blas;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Gemmt<T> {
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
        let (a, b) = (self.trans_a.of(a), self.trans_b.of(b));
        match self.uplo {
            Uplo::Lower => blas.gemmt(self.alpha, a, b, self.beta, c),
            Uplo::Upper => {
                let (a, b, c) = (b.transposed(), a.transposed(), c.transposed());
                blas.gemmt(self.alpha, a, b, self.beta, c);
            }
        }
    }
}
