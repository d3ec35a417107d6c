//! The product by the definition.

use super::Unmqr;
use crate::kernel::reflectors::reflect_all;
use crate::option::{Side, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Unmqr<T> {
    /// One reflector after the other, each `I - tau v v^H` with `tau` from the diagonal of `T`.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, v: TileRef<'_, T>, t: TileRef<'_, T>, c: TileMut<'_, T>) {
        let &Self { side, storev, order, k, .. } = self;
        let (offset, (conjugated, trans)) = (self.offset(), self.on_the_left());
        let v = storev.in_columns(v).part(offset, 0, order - offset, k);
        let (v, t) = if conjugated { (v.conjugated(), t.conjugated()) } else { (v, t) };
        let tau: Vec<T> = (0..k).map(|j| t.at(j, j)).collect();
        let c = if side == Side::Left { c } else { c.transposed() };
        let n = c.cols();
        reflect_all(v, &tau, trans == Trans::Conj, &mut c.part(offset, 0, order - offset, n));
    }
}
