//! The exchange, column by column.

use super::Laswp;
use crate::backend::pivoting::{exchange_rows, restore_rows};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Laswp<T> {
    /// Computes.
    ///
    /// # Panics
    /// If a pivot is not a row of the tile.
    #[inline(never)]
    pub fn compute(&self, pivots: &[u32], mut a: TileMut<'_, T>) {
        if self.backward {
            restore_rows(&mut a, self.first, &pivots[self.first..]);
        } else {
            exchange_rows(&mut a, self.first, &pivots[self.first..]);
        }
    }
}
