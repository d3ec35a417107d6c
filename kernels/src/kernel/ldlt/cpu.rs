//! The factorisation in blocks of columns: loops in the block on the diagonal, products beside it.

use super::Ldlt;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::syrk::lower;
use crate::option::{Diag, Form, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Columns of a block.
const BLOCK: usize = 32;

impl<T: Scalar> Ldlt<T> {
    /// Computes with `blas`; the view tells the size.
    ///
    /// # Errors
    /// [`NumericalError::SingularPivot`], with the index in the whole matrix.
    ///
    /// # Panics
    /// If `a` is not square.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let mut a = lower(self.uplo, a);
        let n = a.rows();
        assert!(n == a.cols(), "{a:?} is not square");
        // L21 D of the block at hand.
        let mut room = vec![T::ZERO; n.saturating_sub(BLOCK) * BLOCK];
        for first in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - first);
            let below = n - first - width;
            let rest = a.reborrow().part(first, first, n - first, n - first);
            let [(mut a11, _), (mut a21, a22)] = rest.split(width, width);
            self.factor(a11.reborrow()).map_err(|e| e.shifted(self.offset + first))?;
            if below == 0 {
                return Ok(());
            }
            let l11 = Triangle::new(a11.as_ref(), Uplo::Lower, Diag::Unit);
            let l11 = if self.form == Form::Hermitian { l11.conjugated() } else { l11 };
            blas.trsm(l11, T::ONE, a21.reborrow().transposed());
            let mut scaled = TileMut::new(&mut room[..below * width], below, width);
            scaled.copy_from(a21.as_ref());
            divide_columns(a11.as_ref(), &mut a21);
            let right = self.form.mirror().of(scaled.as_ref());
            blas.gemmt(-T::ONE, a21.as_ref(), right, T::ONE, a22);
        }
        Ok(())
    }

    /// A small matrix, column by column.
    fn factor(&self, mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let n = a.rows();
        let is_hermitian = self.form == Form::Hermitian;
        for k in 0..n {
            let pivot = a.at(k, k);
            let pivot = if is_hermitian { T::from_real(pivot.re()) } else { pivot };
            if pivot == T::ZERO || !pivot.is_finite() {
                return Err(NumericalError::SingularPivot { index: k + 1 });
            }
            a.set(k, k, pivot);
            for j in k + 1..n {
                let entry = a.at(j, k);
                let factor = (if is_hermitian { entry.conj() } else { entry }).divided_by(pivot);
                (j..n).for_each(|i| a.set(i, j, a.at(i, j) - a.at(i, k) * factor));
            }
            (k + 1..n).for_each(|i| a.set(i, k, a.at(i, k).divided_by(pivot)));
        }
        Ok(())
    }
}

/// `A = A inv(D)`, with the diagonal of `d`.
pub(in crate::kernel) fn divide_columns<T: Scalar>(d: TileRef<'_, T>, a: &mut TileMut<'_, T>) {
    for j in 0..a.cols() {
        let pivot = d.at(j, j);
        (0..a.rows()).for_each(|i| a.set(i, j, a.at(i, j).divided_by(pivot)));
    }
}
