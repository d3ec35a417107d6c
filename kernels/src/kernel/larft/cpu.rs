//! The triangle by recursion, with a backend's products.

use super::Larft;
use crate::backend::Blas;
use crate::householder::{room_for_triangle, triangle};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::{carve, with_room};

impl<T: Scalar> Larft<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        v: TileRef<'_, T>,
        tau: TileRef<'_, T>,
        mut t: TileMut<'_, T>,
    ) {
        let &Self { storev, m, k, offset, .. } = self;
        let v = storev.in_columns(v).part(offset, 0, m - offset, k);
        t.apply(|_| T::ZERO);
        with_room(k + room_for_triangle(k), |mut room| {
            let mut factors = carve(&mut room, k, 1);
            factors.copy_from(tau);
            factors.apply(|tau| storev.factor(tau));
            triangle(blas, v, factors.as_ref(), t, room);
        });
    }
}
