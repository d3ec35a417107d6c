//! The formulas, entry by entry.

use super::{Build, MapEntries};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar, F: Fn(usize, usize) -> T> Build<T, F> {
    /// Fills `a`.
    ///
    /// # Panics
    /// If its shape is another.
    #[inline(never)]
    pub fn compute(&self, mut a: TileMut<'_, T>) {
        let ((m, n), (row, column)) = (self.place.shape(), self.place.first());
        assert!((a.rows(), a.cols()) == (m, n), "{a:?} is not of {m} x {n}");
        for j in 0..n {
            (0..m).for_each(|i| a.set(i, j, (self.entry)(row + i, column + j)));
        }
    }
}

impl<T: Scalar, F: Fn(usize, usize, T) -> T> MapEntries<T, F> {
    /// Changes `a`.
    ///
    /// # Panics
    /// If its shape is another.
    #[inline(never)]
    pub fn compute(&self, mut a: TileMut<'_, T>) {
        let ((m, n), (row, column)) = (self.place.shape(), self.place.first());
        assert!((a.rows(), a.cols()) == (m, n), "{a:?} is not of {m} x {n}");
        for j in 0..n {
            for i in self.part.rows(m, j) {
                a.set(i, j, (self.change)(row + i, column + j, a.at(i, j)));
            }
        }
    }
}
