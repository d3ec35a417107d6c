//! The centring, column by column.

use super::{Centre, Sums};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Centre<T> {
    /// Centres `a`.
    ///
    /// # Panics
    /// If the shape is another, or a sum that is read is missing.
    #[inline(never)]
    pub fn compute(&self, sums: Sums<'_, T>, mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "means of {mine:?} in a tile {shape:?}");
        let all = mean(self.factors.all, sums.all, 0);
        for j in 0..self.n {
            let column = all - mean(self.factors.column, sums.columns, j);
            for i in self.part.rows(self.m, j) {
                let row = mean(self.factors.row, sums.rows, i);
                a.set(i, j, self.alpha * (self.term.of(a.at(i, j)) - row + column));
            }
        }
    }
}

/// The mean that `factor` times a sum is; nothing is read if it is zero.
fn mean<T: Scalar>(factor: f64, sums: &[T], index: usize) -> T {
    if factor == 0.0 { T::ZERO } else { T::from_f64(factor) * sums[index] }
}
