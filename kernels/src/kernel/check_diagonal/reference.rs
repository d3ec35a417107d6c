//! The check by the definition.

use super::CheckDiagonal;
use crate::error::NumericalError;
use crate::scalar::{Real, Scalar};
use crate::tile::TileRef;

impl<T: Scalar> CheckDiagonal<T> {
    /// A loop over the diagonal.
    ///
    /// # Errors
    /// [`NumericalError::SingularTriangle`], with the index in the whole matrix.
    pub fn reference(&self, a: TileRef<'_, T>) -> Result<(), NumericalError> {
        for i in 0..self.m.min(self.n) {
            if a.at(i, i).abs1().to_f64() == 0.0 {
                return Err(NumericalError::SingularTriangle { index: self.offset + i + 1 });
            }
        }
        Ok(())
    }
}
