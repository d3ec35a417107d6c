//! The product by the definition.

use super::Symm;
use crate::option::{Form, Side};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Symm<T> {
    /// Three loops.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn reference(&self, a: TileRef<'_, T>, b: TileRef<'_, T>, mut c: TileMut<'_, T>) {
        let &Self { m, n, alpha, beta, .. } = self;
        for j in 0..n {
            for i in 0..m {
                let sum: T = match self.side {
                    Side::Left => (0..m).map(|l| self.entry(a, i, l) * b.at(l, j)).sum(),
                    Side::Right => (0..n).map(|l| b.at(i, l) * self.entry(a, l, j)).sum(),
                };
                let old = if beta == T::ZERO { T::ZERO } else { beta * c.at(i, j) };
                c.set(i, j, alpha * sum + old);
            }
        }
    }

    /// Entry `(i, j)` of the whole matrix.
    fn entry(&self, a: TileRef<'_, T>, i: usize, j: usize) -> T {
        let is_hermitian = self.form == Form::Hermitian;
        if i == j && is_hermitian {
            T::from_real(a.at(i, i).re())
        } else if self.uplo.holds(i, j) {
            a.at(i, j)
        } else if is_hermitian {
            a.at(j, i).conj()
        } else {
            a.at(j, i)
        }
    }
}
