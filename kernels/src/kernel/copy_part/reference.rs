//! The copy by the definition.

use super::CopyPart;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> CopyPart<T> {
    /// Two loops.
    pub fn reference(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let ((m, n), from, to) = (self.size(), self.from.origin(), self.to.origin());
        for j in 0..n {
            (0..m).for_each(|i| b.set(to.0 + i, to.1 + j, a.at(from.0 + i, from.1 + j)));
        }
    }
}
