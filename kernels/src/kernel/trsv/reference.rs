//! The solve by substitution.

use super::Trsv;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Trsv<T> {
    /// One unknown after the other.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, t: TileRef<'_, T>, mut x: TileMut<'_, T>) {
        let (t, n) = (self.triangle(t), self.n);
        for step in 0..n {
            let (i, known) = match t.uplo {
                Uplo::Lower => (step, 0..step),
                Uplo::Upper => (n - 1 - step, n - step..n),
            };
            let sum: T = known.map(|k| t.at(i, k) * x.at(k, 0)).sum();
            x.set(i, 0, (x.at(i, 0) - sum) / t.at(i, i));
        }
    }
}
