//! The step by a backend.

use super::TrsmColumn;
use crate::backend::Blas;
use crate::option::{Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> TrsmColumn<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let (k, rest) = (self.k, self.rest());
        let t1 = Triangle::new(t.part(self.first, 0, k, k), self.uplo, self.diag).op(self.trans);
        let t2 = self.trans.of(t.part(rest.start, 0, rest.len(), k));
        let (b1, mut b2) = match self.uplo {
            Uplo::Lower => {
                let (b1, b2) = b.split_rows(self.first).1.split_rows(k);
                (b1, b2)
            }
            Uplo::Upper => {
                let (b2, b1) = b.part(0, 0, self.first + k, self.n).split_rows(self.first);
                (b1, b2)
            }
        };
        let mut b1 = b1;
        if self.trans.swaps() {
            multiply(blas, t2, b2.as_ref(), b1.reborrow());
            solve(blas, t1, b1);
        } else {
            solve(blas, t1, b1.reborrow());
            multiply(blas, t2, b1.as_ref(), b2.reborrow());
        }
    }
}

/// `C = C - A B`; of one column by what reads the matrix once.
fn multiply<T: Scalar>(
    blas: &dyn Blas<T>,
    a: TileRef<'_, T>,
    b: TileRef<'_, T>,
    c: TileMut<'_, T>,
) {
    if b.cols() == 1 {
        blas.gemv(-T::ONE, a, b, T::ONE, c);
    } else {
        blas.gemm(-T::ONE, a, b, T::ONE, c);
    }
}

/// `B = inv(T) B`, likewise.
fn solve<T: Scalar>(blas: &dyn Blas<T>, t: Triangle<'_, T>, b: TileMut<'_, T>) {
    if b.cols() == 1 {
        blas.trsv(t, b);
    } else {
        blas.trsm(t, T::ONE, b);
    }
}
