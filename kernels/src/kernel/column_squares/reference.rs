//! The sums by the definition.

use super::ColumnSquares;
use crate::scalar::Real;
use crate::tile::TileRef;

impl<T: Real> ColumnSquares<T> {
    /// One entry after the other.
    pub fn reference(&self, a: TileRef<'_, T>, sums: &mut [T]) {
        for (j, sum) in sums.iter_mut().enumerate() {
            for i in 0..self.m {
                *sum += a.at(i, j) * a.at(i, j);
            }
        }
    }
}
