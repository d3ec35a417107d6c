//! The symmetric product by the definition.

use super::Syrk;
use crate::option::Form;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Syrk<T> {
    /// Three loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let a = self.trans.of(a);
        let (b, (alpha, beta)) = (self.form.mirror().of(a), self.factors());
        for j in 0..self.n {
            for i in (0..self.n).filter(|&i| self.uplo.holds(i, j)) {
                let sum: T = (0..self.k).map(|l| a.at(i, l) * b.at(l, j)).sum();
                let old = if beta == T::ZERO { T::ZERO } else { beta * c.at(i, j) };
                let entry = alpha * sum + old;
                let is_real = i == j && self.form == Form::Hermitian;
                c.set(i, j, if is_real { T::from_real(entry.re()) } else { entry });
            }
        }
    }
}
