//! The step by the definition.

use super::TrsmBlock;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> TrsmBlock<T> {
    /// Entry by entry.
    ///
    /// # Panics
    /// If the views have other shapes.
    pub fn reference(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let &Self { k, offset, .. } = self;
        let (a, trans) = self.entering(a);
        for column in 0..b.cols() {
            for step in 0..k {
                if trans == Trans::No {
                    let j = k - 1 - step;
                    let x = b.at(offset + j, column) / a.at(offset + j, j);
                    b.set(offset + j, column, x);
                    for i in 0..offset + j {
                        b.set(i, column, b.at(i, column) - a.at(i, j) * x);
                    }
                } else {
                    let turned = trans.of(a);
                    let known: T =
                        (0..offset + step).map(|i| turned.at(step, i) * b.at(i, column)).sum();
                    let right = b.at(offset + step, column) - known;
                    b.set(offset + step, column, right / turned.at(step, offset + step));
                }
            }
        }
    }
}
