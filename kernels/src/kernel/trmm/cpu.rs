//! The product by a backend.

use super::Trmm;
use crate::backend::Blas;
use crate::option::Side;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trmm<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn compute(&self, blas: &dyn Blas<T>, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let triangle = self.on_the_left(t);
        let mut b = if self.side == Side::Left { b } else { b.transposed() };
        b.scale(self.alpha);
        blas.trmm(triangle, b);
    }
}
