//! The packing, micro-panel by micro-panel; what is general in it goes by whole columns or rows.

use super::{Pack, Structure};
use crate::backend::Blas;
use crate::option::{Diag, Uplo};
use crate::packed::PackedMut;
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> Pack<T> {
    /// Packs `a` as `blas` reads it.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileRef<'_, T>, mut packed: PackedMut<'_, T>) {
        match self.structure {
            Structure::General => blas.pack(self.trans.of(a), packed),
            Structure::Symmetric(..) => packed.fill_with(|i, j| self.entry(a, i, j)),
            // All of it first: what is not of the triangle is little of a panel.
            Structure::Triangular(uplo, diag) => {
                blas.pack(self.trans.of(a), packed.reborrow());
                for j in 0..self.n {
                    let other = match uplo {
                        Uplo::Lower => 0..j.min(self.m),
                        Uplo::Upper => j + 1..self.m,
                    };
                    other.for_each(|i| packed.set(i, j, T::ZERO));
                    if j < self.m && diag == Diag::Unit {
                        packed.set(j, j, T::ONE);
                    }
                }
            }
        }
    }
}
