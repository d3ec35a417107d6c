//! The centring by the definition.

use super::{Centre, Sums};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Centre<T> {
    /// Entry by entry.
    pub fn reference(&self, sums: Sums<'_, T>, mut a: TileMut<'_, T>) {
        let times = |factor: f64, sum: Option<&T>| match sum {
            Some(&sum) if factor != 0.0 => T::from_f64(factor) * sum,
            _ => T::ZERO,
        };
        for j in 0..self.n {
            for i in (0..self.m).filter(|&i| self.part.holds(i, j)) {
                let less = times(self.factors.row, sums.rows.get(i))
                    + times(self.factors.column, sums.columns.get(j))
                    - times(self.factors.all, sums.all.first());
                a.set(i, j, self.alpha * (self.term.of(a.at(i, j)) - less));
            }
        }
    }
}
