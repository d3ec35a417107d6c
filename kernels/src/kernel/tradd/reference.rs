//! The sum by the definition.

use super::Tradd;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tradd<T> {
    /// Two loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let a = self.trans.of(a);
        for j in 0..self.n {
            for i in (0..self.m).filter(|&i| self.part.holds(i, j)) {
                let new = if self.alpha == T::ZERO { T::ZERO } else { self.alpha * a.at(i, j) };
                let old = if self.beta == T::ZERO { T::ZERO } else { self.beta * b.at(i, j) };
                b.set(i, j, new + old);
            }
        }
    }
}
