//! The step by the definition.

use super::TrsmColumn;
use crate::option::{Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> TrsmColumn<T> {
    /// Entry by entry.
    pub fn reference(&self, t: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let Self { trans, k, n, first, .. } = *self;
        let t1 = Triangle::new(t.part(first, 0, k, k), self.uplo, self.diag).op(trans);
        for j in 0..n {
            for row in self.triangle().filter(|_| trans != Trans::No) {
                for i in self.rest() {
                    let factor = if trans == Trans::Conj {
                        t.at(i, row - first).conj()
                    } else {
                        t.at(i, row - first)
                    };
                    b.set(row, j, b.at(row, j) - factor * b.at(i, j));
                }
            }
            for step in 0..k {
                let i = if t1.uplo == Uplo::Lower { step } else { k - 1 - step };
                let mut sum = b.at(first + i, j);
                for l in (0..k).filter(|&l| l != i && t1.uplo.holds(i, l)) {
                    sum -= t1.at(i, l) * b.at(first + l, j);
                }
                b.set(first + i, j, sum / t1.at(i, i));
            }
            for i in self.rest().filter(|_| trans == Trans::No) {
                for row in self.triangle() {
                    b.set(i, j, b.at(i, j) - t.at(i, row - first) * b.at(row, j));
                }
            }
        }
    }
}
