//! The factorization by the definition.

use super::GetrfNopiv;
use crate::error::NumericalError;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> GetrfNopiv<T> {
    /// Each entry by a dot product of a row of `L` and a column of `U` (Crout's order).
    ///
    /// # Errors
    /// [`NumericalError::SingularPivot`], with the index in the whole matrix.
    pub fn reference(&self, mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
        for s in 0..self.m.min(self.n) {
            for j in s..self.n {
                a.set(s, j, rest(&a, s, j, s));
            }
            let pivot = a.at(s, s);
            if pivot == T::ZERO || !pivot.is_finite() {
                return Err(NumericalError::SingularPivot { index: self.offset + s + 1 });
            }
            for i in s + 1..self.m {
                a.set(i, s, rest(&a, i, s, s) / pivot);
            }
        }
        Ok(())
    }
}

/// Entry `(i, j)` less the product of its row of `L` and its column of `U`, up to step `s`.
fn rest<T: Scalar>(a: &TileMut<'_, T>, i: usize, j: usize, s: usize) -> T {
    a.at(i, j) - (0..s).map(|k| a.at(i, k) * a.at(k, j)).sum::<T>()
}
