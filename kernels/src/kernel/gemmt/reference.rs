//! The product by the definition.

use super::Gemmt;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Gemmt<T> {
    /// Three loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, b: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let (a, b) = (self.trans_a.of(a), self.trans_b.of(b));
        for j in 0..self.n {
            for i in (0..self.n).filter(|&i| self.uplo.holds(i, j)) {
                let sum: T = (0..self.k).map(|l| a.at(i, l) * b.at(l, j)).sum();
                let old = if self.beta == T::ZERO { T::ZERO } else { self.beta * c.at(i, j) };
                c.set(i, j, self.alpha * sum + old);
            }
        }
    }
}
