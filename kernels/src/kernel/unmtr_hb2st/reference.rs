//! The product by the definition.

use super::UnmtrHb2st;
use crate::kernel::reflectors::reflect;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> UnmtrHb2st<T> {
    /// Of the reflectors themselves, stored as [`Waves::stored`](crate::tridiagonal::Waves::stored)
    /// says: one after the other, in the opposite order of the chase: the last sweep first, and of
    /// a sweep the last reflector.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, v: TileRef<'_, T>, c: TileMut<'_, T>) {
        let &Self { waves, group, m, .. } = self;
        let mut c = c.part(0, 0, waves.n, m);
        let last = waves.group.min(waves.n - 1 - group * waves.group);
        for place in (0..last).rev() {
            for k in (0..waves.blocks(group)).rev() {
                let first = group * waves.group + place + 1 + k * waves.width;
                if first >= waves.n {
                    continue;
                }
                let (length, column) = (waves.width.min(waves.n - first), k * waves.group + place);
                let entry = |i| if i == 0 { T::ONE } else { v.at(place + i, column) };
                let reflector: Vec<T> = (0..length).map(entry).collect();
                let tau = v.at(waves.width + waves.group - 1, column);
                reflect(&reflector, tau, &mut c.reborrow().part(first, 0, length, m));
            }
        }
    }
}
