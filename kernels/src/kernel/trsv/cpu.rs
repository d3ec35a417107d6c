//! The solve by a backend.

use super::Trsv;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trsv<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, t: TileRef<'_, T>, x: TileMut<'_, T>) {
        blas.trsv(self.triangle(t), x);
    }
}
