//! The factorization by a backend.

use super::Potrf;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Potrf<T> {
    /// Computes with `blas`; the view tells the size.
    ///
    /// # Errors
    /// [`NumericalError::NotPositiveDefinite`], with the order in the whole matrix.
    ///
    /// # Panics
    /// If `a` is not square.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blas.potrf(self.lower(a)).map_err(|e| e.shifted(self.offset))
    }
}
