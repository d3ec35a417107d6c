//! The solve by a backend.

use super::Trsm;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trsm<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let (t, b) = self.on_the_left(t, b);
        blas.trsm(t, self.alpha, b);
    }
}
