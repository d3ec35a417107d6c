//! The product by a backend: two products of which a triangle is computed.

use super::Syr2k;
use crate::backend::Blas;
use crate::kernel::syrk::{lower, make_diagonal_real};
use crate::option::{Form, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syr2k<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileRef<'_, T>,
        b: TileRef<'_, T>,
        c: TileMut<'_, T>,
    ) {
        let (mut a, mut b) = (self.trans.of(a), self.trans.of(b));
        let (mut first, mut second, beta) = self.factors();
        if self.uplo == Uplo::Upper && self.form == Form::Hermitian {
            // The transpose of a Hermitian product is that of the conjugate matrices.
            (a, b) = (a.conjugated(), b.conjugated());
            (first, second) = (second, first);
        }
        let mirror = self.form.mirror();
        let mut c = lower(self.uplo, c);
        blas.gemmt(first, a, mirror.of(b), beta, c.reborrow());
        blas.gemmt(second, b, mirror.of(a), T::ONE, c.reborrow());
        if self.form == Form::Hermitian {
            make_diagonal_real(&mut c);
        }
    }
}
