//! The inversion by a backend.

use super::Trtri;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Trtri<T> {
    /// Computes with `blas`; the view tells the size.
    ///
    /// # Errors
    /// [`NumericalError::SingularTriangle`], with the index in the whole matrix.
    ///
    /// # Panics
    /// If `a` is not square.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blas.trtri(self.diag, self.lower(a)).map_err(|e| e.shifted(self.offset))
    }
}
