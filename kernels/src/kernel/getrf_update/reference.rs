//! The update by the definition.

use super::GetrfUpdate;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> GetrfUpdate<T> {
    /// Rows exchanged whole, then one step of the elimination after the other.
    pub fn reference(&self, panel: TileRef<'_, T>, pivots: &[u32], mut column: TileMut<'_, T>) {
        for (step, &pivot) in pivots.iter().enumerate() {
            let k = self.first + step;
            for j in 0..self.n {
                let (upper, lower) = (column.at(k, j), column.at(pivot as usize, j));
                column.set(k, j, lower);
                column.set(pivot as usize, j, upper);
            }
        }
        for step in 0..self.steps() {
            let k = self.first + step;
            for j in 0..self.n {
                for i in k + 1..self.m {
                    let product = panel.at(i, step) * column.at(k, j);
                    column.set(i, j, column.at(i, j) - product);
                }
            }
        }
    }
}
