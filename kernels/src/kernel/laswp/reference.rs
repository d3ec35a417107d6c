//! The exchange by the definition.

use super::Laswp;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Laswp<T> {
    /// Row by row.
    pub fn reference(&self, pivots: &[u32], mut a: TileMut<'_, T>) {
        for step in 0..pivots.len() {
            let step = if self.backward { pivots.len() - 1 - step } else { step };
            let (i, pivot) = (self.first + step, pivots[step] as usize);
            for j in 0..self.n {
                let (upper, lower) = (a.at(i, j), a.at(pivot, j));
                a.set(i, j, lower);
                a.set(pivot, j, upper);
            }
        }
    }
}
