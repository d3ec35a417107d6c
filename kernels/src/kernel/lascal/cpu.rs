//! The scaling by columns.

use super::Lascal;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Lascal<T> {
    /// Scales the part of `a` that counts.
    ///
    /// # Panics
    /// If the shape is another.
    #[inline(never)]
    pub fn compute(&self, mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "scaling of {mine:?} in a tile {shape:?}");
        for j in 0..self.n {
            let rows = self.part.rows(self.m, j);
            a.reborrow().part(rows.start, j, rows.len(), 1).scale(self.alpha);
        }
    }
}
