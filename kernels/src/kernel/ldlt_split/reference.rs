//! The split by the definition.

use super::LdltSplit;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> LdltSplit<T> {
    /// Two loops.
    pub fn reference(&self, d: TileRef<'_, T>, mut a: TileMut<'_, T>, mut w: TileMut<'_, T>) {
        for (i, j) in (0..self.n).flat_map(|j| (0..self.m).map(move |i| (i, j))) {
            let (row, column) = if self.is_transposed { (j, i) } else { (i, j) };
            w.set(row, column, a.at(row, column));
            a.set(row, column, w.at(row, column).divided_by(d.at(j, j)));
        }
    }
}
