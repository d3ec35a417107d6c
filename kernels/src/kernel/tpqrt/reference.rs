//! The factorization as that of the stacked matrix.

use std::marker::PhantomData;

use super::Tpqrt;
use crate::kernel::geqrt::Geqrt;
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Tpqrt<T> {
    /// Factorizes `[R; B]` with its zeros, and takes it apart.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, mut r: TileMut<'_, T>, mut b: TileMut<'_, T>, mut t: TileMut<'_, T>) {
        let &Self { below, m, n, ib, .. } = self;
        let (mut whole, mut tau) = (vec![T::ZERO; (n + m) * n], vec![T::ZERO; n]);
        let mut whole = TileMut::new(&mut whole, n + m, n);
        for j in 0..n {
            (0..=j).for_each(|i| whole.set(i, j, r.at(i, j)));
            (0..m).filter(|&i| below.holds(i, j)).for_each(|i| whole.set(n + i, j, b.at(i, j)));
        }
        let (storev, offset, scalar) = (Storev::Columns, 0, PhantomData);
        let geqrt = Geqrt { storev, m: n + m, n, offset, scalar };
        let mut triangle = vec![T::ZERO; n * n];
        let mut triangle = TileMut::new(&mut triangle, n, n);
        geqrt.reference(whole.reborrow(), TileMut::new(&mut tau, n, 1), triangle.reborrow());
        for j in 0..n {
            (0..=j).for_each(|i| r.set(i, j, whole.at(i, j)));
            (0..m).filter(|&i| below.holds(i, j)).for_each(|i| b.set(i, j, whole.at(n + i, j)));
            // The triangle of a block is a part of that of all.
            let first = j / ib * ib;
            for i in 0..t.rows() {
                let inside = first + i <= j;
                t.set(i, j, if inside { triangle.at(first + i, j) } else { T::ZERO });
            }
        }
    }
}
