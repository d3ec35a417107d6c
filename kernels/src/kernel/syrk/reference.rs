//! The symmetric product by the definition.

use super::Syrk;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syrk<T> {
    /// Three loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let a = self.trans.of(a);
        for j in 0..self.n {
            for i in (0..self.n).filter(|&i| self.uplo.holds(i, j)) {
                let sum: T = (0..self.k).map(|l| a.at(i, l) * a.at(j, l)).sum();
                let old = if self.beta == T::ZERO { T::ZERO } else { self.beta * c.at(i, j) };
                c.set(i, j, self.alpha * sum + old);
            }
        }
    }
}
