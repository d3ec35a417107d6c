//! The product by the definition.

use super::Tpmqrt;
use crate::kernel::reflectors::reflect;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tpmqrt<T> {
    /// One reflector after the other on the stacked matrix, with `tau` from the diagonals of `T`.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(
        &self,
        (v, t): (TileRef<'_, T>, TileRef<'_, T>),
        c1: TileMut<'_, T>,
        mut c2: TileMut<'_, T>,
    ) {
        let &Self { below, trans, m, n, k, ib, .. } = self;
        let mut c1 = c1.part(0, 0, k, n);
        let mut whole = vec![T::ZERO; (k + m) * n];
        let mut whole = TileMut::new(&mut whole, k + m, n);
        whole.reborrow().part(0, 0, k, n).copy_from(c1.as_ref());
        whole.reborrow().part(k, 0, m, n).copy_from(c2.as_ref());
        for step in 0..k {
            let j = if trans == Trans::No { k - 1 - step } else { step };
            let mut column = vec![T::ZERO; k + m];
            column[j] = T::ONE;
            (0..m).filter(|&i| below.holds(i, j)).for_each(|i| column[k + i] = v.at(i, j));
            let tau = t.at(j % ib, j);
            reflect(&column, if trans == Trans::No { tau } else { tau.conj() }, &mut whole);
        }
        c1.copy_from(whole.as_ref().part(0, 0, k, n));
        c2.copy_from(whole.as_ref().part(k, 0, m, n));
    }
}
