//! The solve by the definition.

use super::DiagonalSolve;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> DiagonalSolve<T> {
    /// Two loops.
    pub fn reference(&self, d: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        for i in 0..self.m {
            (0..self.n).for_each(|j| b.set(i, j, b.at(i, j).divided_by(d.at(i, i))));
        }
    }
}
