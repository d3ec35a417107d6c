//! The product by blocks of reflectors, with a backend's products.

use super::Tpmqrt;
use crate::backend::Blas;
use crate::householder::{apply_stacked, room_for_stacked};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

impl<T: Scalar> Tpmqrt<T> {
    /// Computes with `blas` and the reflectors `(V, T)`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        (v, t): (TileRef<'_, T>, TileRef<'_, T>),
        c1: TileMut<'_, T>,
        c2: TileMut<'_, T>,
    ) {
        let &Self { below, trans, m, n, k, .. } = self;
        let c1 = c1.part(0, 0, k, n);
        let room = room_for_stacked(m, n, t.rows());
        with_room(room, |room| apply_stacked(blas, below, (v, t), trans, (c1, c2), room));
    }
}
