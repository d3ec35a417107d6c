//! The product by the definition.

use super::Syr2k;
use crate::option::Form;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syr2k<T> {
    /// Three loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, b: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let (a, b) = (self.trans.of(a), self.trans.of(b));
        let (first, second, beta) = self.factors();
        let (of_a, of_b) = (self.form.mirror().of(a), self.form.mirror().of(b));
        for j in 0..self.n {
            for i in (0..self.n).filter(|&i| self.uplo.holds(i, j)) {
                let one: T = (0..self.k).map(|l| a.at(i, l) * of_b.at(l, j)).sum();
                let two: T = (0..self.k).map(|l| b.at(i, l) * of_a.at(l, j)).sum();
                let old = if beta == T::ZERO { T::ZERO } else { beta * c.at(i, j) };
                let entry = first * one + second * two + old;
                let is_real = i == j && self.form == Form::Hermitian;
                c.set(i, j, if is_real { T::from_real(entry.re()) } else { entry });
            }
        }
    }
}
