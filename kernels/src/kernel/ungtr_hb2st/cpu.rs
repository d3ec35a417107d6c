//! The blocks by products of matrices.

use super::UngtrHb2st;
use crate::backend::Blas;
use crate::householder::{form, room_for_triangle, room_to_form, triangle};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::{carve, with_room};

impl<T: Scalar> UngtrHb2st<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, v: TileRef<'_, T>, mut q: TileMut<'_, T>) {
        let &Self { waves, group, .. } = self;
        let (most, order) = (waves.group, waves.multiplied_out(group).0);
        let room = most * (most + 1) + room_for_triangle(most).max(room_to_form(order, most));
        with_room(room, |mut room| {
            let (mut t, mut tau) = (carve(&mut room, most, most), carve(&mut room, most, 1));
            for k in 0..waves.blocks(group) {
                let (_, rows, count) = waves.block(group, k);
                let mut tau = tau.reborrow().part(0, 0, count, 1);
                tau.copy_from(v.part(waves.width + most - 1, k * most, 1, count).transposed());
                let v = v.part(0, k * most, rows, count);
                let mut t = t.reborrow().part(0, 0, count, count);
                triangle(blas, v, tau.as_ref(), t.reborrow(), room);
                let mut target = q.reborrow().part(0, k * order, rows, rows);
                target.reborrow().part(0, 0, rows, count).copy_from(v);
                form(blas, target, t.as_ref(), room);
            }
        });
    }
}
