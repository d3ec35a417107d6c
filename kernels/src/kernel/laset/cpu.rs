//! The filling by columns.

use super::Laset;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Laset<T> {
    /// Fills `a`, a column-major tile.
    ///
    /// # Panics
    /// If the shape is another or the rows are not adjacent in memory.
    #[inline(never)]
    pub fn compute(&self, mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "fill {mine:?} in a tile {shape:?}");
        for j in 0..self.n {
            let column = a.col_mut(j).expect("the rows of a tile are adjacent");
            column.fill(self.off_diagonal);
            if let Some(entry) = column.get_mut(j) {
                *entry = self.diagonal;
            }
        }
    }
}
