//! The product by the definition.

use super::Trmm;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trmm<T> {
    /// Three loops over a copy of `B`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let (t, mut b) = self.on_the_left(t, b);
        let n = t.order();
        for j in 0..b.cols() {
            let old: Vec<T> = (0..n).map(|i| b.at(i, j)).collect();
            for i in 0..n {
                let sum: T = (0..n).map(|k| t.at(i, k) * old[k]).sum();
                b.set(i, j, self.alpha * sum);
            }
        }
    }
}
