//! The conversion by the definition.

use super::Convert;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Convert<T> {
    /// Entry by entry.
    pub fn reference(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T::Other>) {
        for j in 0..self.n {
            for i in (0..self.m).filter(|&i| self.part.holds(i, j)) {
                b.set(i, j, a.at(i, j).convert());
            }
        }
    }
}
