//! The product by a backend.

use super::Lauum;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Lauum<T> {
    /// Computes with `blas`; the view tells the size.
    ///
    /// # Panics
    /// If `a` is not square.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>) {
        blas.lauum(self.lower(a));
    }
}
