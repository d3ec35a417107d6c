//! The conversion, column by column where those are slices.

use super::Convert;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Convert<T> {
    /// Computes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T::Other>) {
        for j in 0..self.n {
            let rows = self.part.rows(self.m, j);
            match (a.col(j), b.col_mut(j)) {
                (Some(from), Some(to)) => {
                    for (to, from) in to[rows.clone()].iter_mut().zip(&from[rows]) {
                        *to = from.convert();
                    }
                }
                _ => rows.for_each(|i| b.set(i, j, a.at(i, j).convert())),
            }
        }
    }
}
