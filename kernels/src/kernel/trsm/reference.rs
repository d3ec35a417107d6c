//! The solve by substitution.

use super::Trsm;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trsm<T> {
    /// One right-hand side at a time, one unknown after the other.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, t: TileRef<'_, T>, b: TileMut<'_, T>) {
        let (t, mut b) = self.on_the_left(t, b);
        let n = t.order();
        for j in 0..b.cols() {
            for step in 0..n {
                let i = if t.uplo == Uplo::Lower { step } else { n - 1 - step };
                let known: T =
                    (0..n).filter(|&k| k != i).map(|k| zero_or(t.at(i, k), b.at(k, j))).sum();
                b.set(i, j, (self.alpha * b.at(i, j) - known) / t.at(i, i));
            }
        }
    }
}

/// `x y`, or zero for a structural zero `x`, whatever `y` is.
fn zero_or<T: Scalar>(x: T, y: T) -> T {
    if x == T::ZERO { T::ZERO } else { x * y }
}
