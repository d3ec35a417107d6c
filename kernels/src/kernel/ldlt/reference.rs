//! The factorisation by the definition.

use super::Ldlt;
use crate::error::NumericalError;
use crate::kernel::syrk::lower;
use crate::option::Form;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Ldlt<T> {
    /// Column by column, each entry from those to its left.
    ///
    /// # Errors
    /// [`NumericalError::SingularPivot`], with the index in the whole matrix.
    pub fn reference(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let mut a = lower(self.uplo, a);
        let is_hermitian = self.form == Form::Hermitian;
        let turned = |x: T| if is_hermitian { x.conj() } else { x };
        for j in 0..self.n {
            let known: T = (0..j).map(|k| a.at(j, k) * a.at(k, k) * turned(a.at(j, k))).sum();
            let pivot = a.at(j, j) - known;
            let pivot = if is_hermitian { T::from_real(pivot.re()) } else { pivot };
            if pivot == T::ZERO || !pivot.is_finite() {
                return Err(NumericalError::SingularPivot { index: self.offset + j + 1 });
            }
            a.set(j, j, pivot);
            for i in j + 1..self.n {
                let known: T = (0..j).map(|k| a.at(i, k) * a.at(k, k) * turned(a.at(j, k))).sum();
                a.set(i, j, (a.at(i, j) - known).divided_by(pivot));
            }
        }
        Ok(())
    }
}
