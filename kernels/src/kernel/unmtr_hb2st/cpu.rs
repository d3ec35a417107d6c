//! The product block by block, each a product of matrices by a backend.

use super::UnmtrHb2st;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::{carve, with_room};

impl<T: Scalar> UnmtrHb2st<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, q: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let &Self { waves, group, m, .. } = self;
        let order = waves.multiplied_out(group).0;
        with_room(order * m, |room| {
            for k in 0..waves.blocks(group) {
                let (first, rows, _) = waves.block(group, k);
                let mut target = c.reborrow().part(first, 0, rows, m);
                let mut before = carve(&mut &mut *room, rows, m);
                before.copy_from(target.as_ref());
                let block = q.part(0, k * order, rows, rows);
                blas.gemm(T::ONE, block, before.as_ref(), T::ZERO, target.reborrow());
            }
        });
    }
}
