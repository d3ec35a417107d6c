//! The factorization by the definition.

use super::Potrf;
use crate::error::NumericalError;
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;

impl<T: Scalar> Potrf<T> {
    /// Row by row, each entry by a dot product of two rows.
    ///
    /// # Errors
    /// [`NumericalError::NotPositiveDefinite`], with the order in the whole matrix.
    pub fn reference(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let mut a = self.lower(a);
        for i in 0..self.n {
            for j in 0..=i {
                let known: T = (0..j).map(|k| a.at(i, k) * a.at(j, k).conj()).sum();
                let rest = a.at(i, j) - known;
                if i > j {
                    a.set(i, j, rest / a.at(j, j));
                } else if rest.re() > T::Real::ZERO && rest.re().is_finite() {
                    a.set(i, i, T::from_real(rest.re().sqrt()));
                } else {
                    return Err(NumericalError::NotPositiveDefinite { order: self.offset + i + 1 });
                }
            }
        }
        Ok(())
    }
}
