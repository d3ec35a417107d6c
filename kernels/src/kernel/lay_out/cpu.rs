//! The laying out, strip by strip; what is general in it goes by whole columns or rows.

use super::{LayOut, Structure};
use crate::backend::Blas;
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::strips::StripsMut;
use crate::tile::TileRef;

impl<T: Scalar> LayOut<T> {
    /// Lays `a` out as `blas` reads it.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileRef<'_, T>, mut strips: StripsMut<'_, T>) {
        match self.structure {
            Structure::General => blas.to_strips(self.trans.of(a), strips),
            Structure::Symmetric(..) => strips.fill_with(|i, j| self.entry(a, i, j)),
            // All of it first: what is not of the triangle is little of a panel.
            Structure::Triangular(uplo, diag) => {
                blas.to_strips(self.trans.of(a), strips.reborrow());
                for j in 0..self.n {
                    let other = match uplo {
                        Uplo::Lower => 0..j.min(self.m),
                        Uplo::Upper => j + 1..self.m,
                    };
                    other.for_each(|i| strips.set(i, j, T::ZERO));
                    if j < self.m && diag == Diag::Unit {
                        strips.set(j, j, T::ONE);
                    }
                }
            }
        }
    }
}
