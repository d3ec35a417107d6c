//! The factorization by a backend.

use super::GetrfNopiv;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> GetrfNopiv<T> {
    /// Computes with `blas`; the view tells the size.
    ///
    /// # Errors
    /// [`NumericalError::SingularPivot`], with the index in the whole matrix.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blas.getrf(a).map_err(|e| e.shifted(self.offset))
    }
}
