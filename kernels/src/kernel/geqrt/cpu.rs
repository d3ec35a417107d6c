//! The factorization by recursion, with a backend's products.

use super::Geqrt;
use crate::backend::Blas;
use crate::householder::{factor, room_to_factor};
use crate::scalar::Scalar;
use crate::tile::TileMut;
use crate::workspace::with_room;

impl<T: Scalar> Geqrt<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileMut<'_, T>,
        mut tau: TileMut<'_, T>,
        mut t: TileMut<'_, T>,
    ) {
        let (m, n) = (self.m - self.offset, self.n);
        let a = self.storev.in_columns_mut(a).part(self.offset, 0, m, n);
        t.apply(|_| T::ZERO);
        with_room(room_to_factor(m, n), |room| factor(blas, a, tau.reborrow(), t, room));
        tau.apply(|tau| self.storev.factor(tau));
    }
}
