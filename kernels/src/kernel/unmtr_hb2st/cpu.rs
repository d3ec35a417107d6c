//! The product block by block, each as products of matrices by a backend.

use super::UnmtrHb2st;
use crate::backend::Blas;
use crate::householder::{Block, apply, room_for_triangle, room_to_apply, triangle};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::{carve, with_room};

impl<T: Scalar> UnmtrHb2st<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn compute(&self, blas: &dyn Blas<T>, v: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let &Self { waves, group, m, .. } = self;
        let most = waves.group;
        let room = most * (most + 1) + room_for_triangle(most).max(room_to_apply(most, m));
        with_room(room, |mut room| {
            let (mut t, mut tau) = (carve(&mut room, most, most), carve(&mut room, most, 1));
            for k in 0..waves.blocks(group) {
                let (first, rows, count) = waves.block(group, k);
                let mut tau = tau.reborrow().part(0, 0, count, 1);
                tau.copy_from(v.part(waves.width + most - 1, k * most, 1, count).transposed());
                let v = v.part(0, k * most, rows, count);
                let mut t = t.reborrow().part(0, 0, count, count);
                triangle(blas, v, tau.as_ref(), t.reborrow(), room);
                let target = c.reborrow().part(first, 0, rows, m);
                apply(blas, Block { v, t: t.as_ref() }, Trans::No, target, room);
            }
        });
    }
}
