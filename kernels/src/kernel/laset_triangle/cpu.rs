//! The filling by columns.

use super::LasetTriangle;
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> LasetTriangle<T> {
    /// Fills the triangle of `a`.
    ///
    /// # Panics
    /// If the shape is another.
    #[inline(never)]
    pub fn compute(&self, mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "fill {mine:?} in a tile {shape:?}");
        for j in 0..self.n {
            let rows = Part::from(self.uplo).rows(self.m, j);
            a.reborrow().part(rows.start, j, rows.len(), 1).apply(|_| self.off_diagonal);
            if j < self.m {
                a.set(j, j, self.diagonal);
            }
        }
    }
}
