//! The symmetric product by a backend.

use super::Syrk;
use crate::backend::Blas;
use crate::option::{Form, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syrk<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileRef<'_, T>, c: TileMut<'_, T>) {
        let (a, (alpha, beta)) = (self.trans.of(a), self.factors());
        match self.form {
            Form::Symmetric => blas.syrk(alpha, a, beta, lower(self.uplo, c)),
            Form::Hermitian => {
                // The transpose of a Hermitian product is that of the conjugate matrix.
                let a = if self.uplo == Uplo::Lower { a } else { a.conjugated() };
                let mut c = lower(self.uplo, c);
                blas.gemmt(alpha, a, a.adjoint(), beta, c.reborrow());
                make_diagonal_real(&mut c);
            }
        }
    }
}

/// The view whose lower triangle is the triangle `uplo` of `c`.
pub(in crate::kernel) fn lower<T>(uplo: Uplo, c: TileMut<'_, T>) -> TileMut<'_, T> {
    if uplo == Uplo::Lower { c } else { c.transposed() }
}

/// Sets imaginary parts on the diagonal to zero.
pub(in crate::kernel) fn make_diagonal_real<T: Scalar>(c: &mut TileMut<'_, T>) {
    if T::IS_COMPLEX {
        (0..c.rows()).for_each(|i| c.set(i, i, T::from_real(c.at(i, i).re())));
    }
}
