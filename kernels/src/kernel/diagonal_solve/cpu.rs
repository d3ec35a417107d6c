//! The solve by columns.

use super::DiagonalSolve;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> DiagonalSolve<T> {
    /// Computes; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, d: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let pivots: Vec<T> = (0..b.rows()).map(|i| d.at(i, i)).collect();
        for j in 0..b.cols() {
            pivots
                .iter()
                .enumerate()
                .for_each(|(i, &pivot)| b.set(i, j, b.at(i, j).divided_by(pivot)));
        }
    }
}
