//! The triangle by the definition.

use super::Larft;
use crate::kernel::reflectors::entry;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Larft<T> {
    /// Column `j` is `-tau(j) T V^H v(j)` above the diagonal.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, v: TileRef<'_, T>, tau: TileRef<'_, T>, mut t: TileMut<'_, T>) {
        let &Self { storev, m, k, offset, .. } = self;
        let v = storev.in_columns(v).part(offset, 0, m - offset, k);
        let product = |l: usize, j: usize| -> T {
            (0..v.rows()).map(|i| entry(v, i, l).conj() * entry(v, i, j)).sum()
        };
        for j in 0..k {
            let factor = storev.factor(tau.at(j, 0));
            let products: Vec<T> = (0..j).map(|l| product(l, j)).collect();
            for i in 0..k {
                let sum: T = (i..j).map(|l| t.at(i, l) * products[l]).sum();
                t.set(i, j, if i == j { factor } else { -factor * sum });
            }
        }
    }
}
