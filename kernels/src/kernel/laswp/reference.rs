//! The exchange by the definition.

use super::Laswp;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Laswp<T> {
    /// Row by row.
    pub fn reference(&self, pivots: &[u32], mut a: TileMut<'_, T>) {
        let last = pivots.len();
        for step in self.first..last {
            let i = if self.backward { self.first + last - 1 - step } else { step };
            let pivot = pivots[i] as usize;
            for j in 0..self.n {
                let (upper, lower) = (a.at(i, j), a.at(pivot, j));
                a.set(i, j, lower);
                a.set(pivot, j, upper);
            }
        }
    }
}
