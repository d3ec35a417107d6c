//! The multiplication by the definition.

use super::Ungqr;
use crate::kernel::reflectors::reflect_all;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Ungqr<T> {
    /// The reflectors, one after the other, on columns of the identity.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, a: TileMut<'_, T>, t: TileRef<'_, T>) {
        let &Self { storev, m, n, k, offset, .. } = self;
        let mut a = storev.in_columns_mut(a);
        let rows = m - offset;
        let mut columns = vec![T::ZERO; rows * n];
        let mut q = TileMut::new(&mut columns, rows, n);
        (0..n).for_each(|j| q.set(j, j, T::ONE));
        let tau: Vec<T> = (0..k).map(|j| t.at(j, j)).collect();
        reflect_all(a.as_ref().part(offset, 0, rows, k), &tau, false, &mut q);
        a.reborrow().part(0, 0, offset, n).apply(|_| T::ZERO);
        a.part(offset, 0, rows, n).copy_from(q.as_ref());
    }
}
