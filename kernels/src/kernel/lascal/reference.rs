//! The scaling by the definition.

use super::Lascal;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Lascal<T> {
    /// Two loops.
    pub fn reference(&self, mut a: TileMut<'_, T>) {
        for j in 0..self.n {
            for i in (0..self.m).filter(|&i| self.part.holds(i, j)) {
                let product = if self.alpha == T::ZERO { T::ZERO } else { a.at(i, j) * self.alpha };
                a.set(i, j, product);
            }
        }
    }
}
