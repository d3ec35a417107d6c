//! The product as products of matrices by a backend.

use super::Unmqr;
use crate::backend::Blas;
use crate::householder::{Block, apply, room_to_apply};
use crate::option::Side;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

impl<T: Scalar> Unmqr<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        v: TileRef<'_, T>,
        t: TileRef<'_, T>,
        c: TileMut<'_, T>,
    ) {
        let &Self { side, storev, order, k, .. } = self;
        let (offset, (conjugated, trans)) = (self.offset(), self.on_the_left());
        let v = storev.in_columns(v).part(offset, 0, order - offset, k);
        let c = if side == Side::Left { c } else { c.transposed() };
        let n = c.cols();
        let c = c.part(offset, 0, order - offset, n);
        let block = if conjugated {
            Block { v: v.conjugated(), t: t.conjugated() }
        } else {
            Block { v, t }
        };
        with_room(room_to_apply(k, n), |room| apply(blas, block, trans, c, room));
    }
}
