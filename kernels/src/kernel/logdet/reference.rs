//! The sum by the definition.

use super::LogDet;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileRef;

impl<T: Real> LogDet<T> {
    /// One logarithm for each entry.
    ///
    /// # Errors
    /// [`NumericalError::NoLogDeterminant`], with the index in the whole matrix.
    pub fn reference(&self, a: TileRef<'_, T>, sum: &mut f64) -> Result<(), NumericalError> {
        let mut total = 0.0;
        for i in 0..self.n {
            let entry = a.at(i, i).to_f64().abs();
            if entry == 0.0 || !entry.is_finite() {
                return Err(NumericalError::NoLogDeterminant { index: self.offset + i + 1 });
            }
            total += entry.ln();
        }
        *sum += self.factor * total;
        Ok(())
    }
}
