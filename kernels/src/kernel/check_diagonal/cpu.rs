//! The check.

use super::CheckDiagonal;
use crate::error::NumericalError;
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> CheckDiagonal<T> {
    /// Looks at `a`.
    ///
    /// # Errors
    /// [`NumericalError::SingularTriangle`], with the index in the whole matrix.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>) -> Result<(), NumericalError> {
        match (0..a.rows().min(a.cols())).find(|&i| a.at(i, i) == T::ZERO) {
            Some(i) => Err(NumericalError::SingularTriangle { index: self.offset + i + 1 }),
            None => Ok(()),
        }
    }
}
