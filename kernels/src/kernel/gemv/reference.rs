//! The product by the definition.

use super::Gemv;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Gemv<T> {
    /// Two loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, x: TileRef<'_, T>, mut y: TileMut<'_, T>) {
        let a = self.trans.of(a);
        for i in 0..a.rows() {
            let sum: T = (0..a.cols()).map(|j| a.at(i, j) * x.at(j, 0)).sum();
            let old = if self.beta == T::ZERO { T::ZERO } else { self.beta * y.at(i, 0) };
            y.set(i, 0, self.alpha * sum + old);
        }
    }
}
