//! The step by a backend's solve and product.

use super::TrsmBlock;
use crate::backend::Blas;
use crate::option::{Diag, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> TrsmBlock<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileRef<'_, T>, b: TileMut<'_, T>) {
        let &Self { k, offset, .. } = self;
        let (a, trans) = self.entering(a);
        let (above, corner) = (a.part(0, 0, offset, k), a.part(offset, 0, k, k));
        let triangle = Triangle::new(corner, Uplo::Upper, Diag::NonUnit).op(trans);
        let nrhs = b.cols();
        let (mut rest, mut mine) = b.part(0, 0, offset + k, nrhs).split_rows(offset);
        if trans == Trans::No {
            blas.trsm(triangle, T::ONE, mine.reborrow());
            blas.gemm(-T::ONE, above, mine.as_ref(), T::ONE, rest);
        } else {
            let rest = rest.reborrow();
            blas.gemm(-T::ONE, trans.of(above), rest.as_ref(), T::ONE, mine.reborrow());
            blas.trsm(triangle, T::ONE, mine);
        }
    }
}
