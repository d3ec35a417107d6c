//! The factorization by recursion, with a backend's products.

use super::Geqrt;
use crate::backend::Blas;
use crate::householder::{factor, factor_plainly, room_for_factors, room_to_factor};
use crate::scalar::Scalar;
use crate::tile::TileMut;
use crate::workspace::with_room;

impl<T: Scalar> Geqrt<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
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

    /// The same without the triangle, in less time; factorizes all rows.
    ///
    /// # Panics
    /// If the views have other shapes, or an offset is asked for.
    #[inline(never)]
    pub fn compute_factors(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>, mut tau: TileMut<'_, T>) {
        let &Self { storev, m, n, offset, .. } = self;
        assert!(offset == 0, "a factorization from row {offset} on");
        let a = storev.in_columns_mut(a).part(0, 0, m, n);
        with_room(room_for_factors(m, n), |room| factor_plainly(blas, a, tau.reborrow(), room));
        tau.apply(|tau| storev.factor(tau));
    }
}
