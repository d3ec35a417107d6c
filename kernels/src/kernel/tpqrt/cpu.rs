//! The factorization by blocks, with a backend's products.

use super::Tpqrt;
use crate::backend::Blas;
use crate::householder::{absorb, room_for_stacked};
use crate::scalar::Scalar;
use crate::tile::TileMut;
use crate::workspace::with_room;

impl<T: Scalar> Tpqrt<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        r: TileMut<'_, T>,
        b: TileMut<'_, T>,
        mut t: TileMut<'_, T>,
    ) {
        let &Self { below, m, n, .. } = self;
        t.apply(|_| T::ZERO);
        let room = room_for_stacked(m, n, t.rows());
        with_room(room, |room| absorb(blas, below, r.part(0, 0, n, n), b, t, room));
    }
}
