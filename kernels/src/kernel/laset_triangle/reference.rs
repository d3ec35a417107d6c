//! The filling by the definition.

use super::LasetTriangle;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> LasetTriangle<T> {
    /// Two loops.
    pub fn reference(&self, mut a: TileMut<'_, T>) {
        for j in 0..self.n {
            for i in (0..self.m).filter(|&i| self.uplo.holds(i, j)) {
                a.set(i, j, if i == j { self.diagonal } else { self.off_diagonal });
            }
        }
    }
}
