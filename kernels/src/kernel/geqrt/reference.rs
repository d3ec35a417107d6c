//! The factorization by the definition.

use super::Geqrt;
use crate::kernel::larft::Larft;
use crate::kernel::reflectors::{entry, reflect};
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;

impl<T: Scalar> Geqrt<T> {
    /// One reflector after the other, applied to all columns after it.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, mut a: TileMut<'_, T>, mut tau: TileMut<'_, T>, t: TileMut<'_, T>) {
        let &Self { storev, m, n, offset, scalar } = self;
        let (rows, k) = (m - offset, self.count());
        let mut panel = storev.in_columns_mut(a.reborrow()).part(offset, 0, rows, n);
        for j in 0..k {
            let (beta, factor) = reflector(&mut panel, j);
            let v: Vec<T> = (0..rows).map(|i| entry(panel.as_ref(), i, j)).collect();
            panel.set(j, j, T::from_real(beta));
            let (_, mut rest) = panel.reborrow().split_cols(j + 1);
            reflect(&v, factor.conj(), &mut rest);
            tau.set(j, 0, storev.factor(factor));
        }
        Larft { storev, m, n, k, offset, scalar }.reference(a.as_ref(), tau.as_ref(), t);
    }
}

/// Makes the reflector of column `j` in place; returns `beta` and `tau`.
fn reflector<T: Scalar>(a: &mut TileMut<'_, T>, j: usize) -> (T::Real, T) {
    let alpha = a.at(j, j);
    let below: T::Real = (j + 1..a.rows()).map(|i| a.at(i, j).abs_squared()).sum();
    if below == T::Real::ZERO && alpha.im() == T::Real::ZERO {
        return (alpha.re(), T::ZERO);
    }
    let norm = (alpha.abs_squared() + below).sqrt();
    let beta = if alpha.re() < T::Real::ZERO { norm } else { -norm };
    for i in j + 1..a.rows() {
        a.set(i, j, a.at(i, j) / (alpha - T::from_real(beta)));
    }
    (beta, T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta))
}
