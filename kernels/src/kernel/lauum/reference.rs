//! The product by the definition.

use super::Lauum;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Lauum<T> {
    /// Three loops; an entry reads only rows from its own on, so rows go downwards.
    pub fn reference(&self, a: TileMut<'_, T>) {
        let mut a = self.lower(a);
        for i in 0..self.n {
            for j in 0..=i {
                let sum: T = (i..self.n).map(|k| a.at(k, i).conj() * a.at(k, j)).sum();
                a.set(i, j, sum);
            }
        }
    }
}
