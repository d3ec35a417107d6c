//! The inverse by substitution into the columns of the identity.

use super::Trtri;
use crate::error::NumericalError;
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Trtri<T> {
    /// Column `j` of the inverse solves `L x = e_j`, into a copy.
    ///
    /// # Errors
    /// [`NumericalError::SingularTriangle`], with the index in the whole matrix.
    pub fn reference(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let n = self.n;
        let mut a = self.lower(a);
        let l = Triangle::new(a.as_ref(), Uplo::Lower, self.diag);
        if let Some(i) = (0..n).find(|&i| l.at(i, i) == T::ZERO) {
            return Err(NumericalError::SingularTriangle { index: self.offset + i + 1 });
        }
        let mut x = vec![T::ZERO; n * n];
        for j in 0..n {
            for i in j..n {
                let unit = if i == j { T::ONE } else { T::ZERO };
                let known: T = (j..i).map(|k| l.at(i, k) * x[k + j * n]).sum();
                x[i + j * n] = (unit - known) / l.at(i, i);
            }
        }
        let stored = |i: usize, j: usize| i > j || (i == j && self.diag == Diag::NonUnit);
        for j in 0..n {
            (0..n).filter(|&i| stored(i, j)).for_each(|i| a.set(i, j, x[i + j * n]));
        }
        Ok(())
    }
}
