//! The blocks by the definition.

use super::UngtrHb2st;
use crate::kernel::reflectors::reflect_all;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> UngtrHb2st<T> {
    /// One reflector after the other on the identity.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, v: TileRef<'_, T>, mut q: TileMut<'_, T>) {
        let &Self { waves, group, .. } = self;
        let order = waves.multiplied_out(group).0;
        for k in 0..waves.blocks(group) {
            let (_, rows, count) = waves.block(group, k);
            let factor = |j| v.at(waves.width + waves.group - 1, k * waves.group + j);
            let tau: Vec<T> = (0..count).map(factor).collect();
            let mut target = q.reborrow().part(0, k * order, rows, rows);
            target.apply(|_| T::ZERO);
            (0..rows).for_each(|i| target.set(i, i, T::ONE));
            reflect_all(v.part(0, k * waves.group, rows, count), &tau, false, &mut target);
        }
    }
}
