//! The solve by a backend.

use super::Trsm;
use crate::backend::Blas;
use crate::option::Side;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trsm<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn compute(&self, blas: &dyn Blas<T>, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let triangle = self.on_the_left(t);
        let b = if self.side == Side::Left { b } else { b.transposed() };
        blas.trsm(triangle, self.alpha, b);
    }
}
