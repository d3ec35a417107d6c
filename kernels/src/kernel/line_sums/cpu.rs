//! The sums, entry by entry in memory order.

use super::{Line, LineSums};
use crate::kernel::norm::visit;
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> LineSums<T> {
    /// Adds the sums of `a` to `sums`.
    ///
    /// # Panics
    /// If the shape is another, or there is not a sum for each line.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, sums: &mut [T]) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "sums of {mine:?} of a tile {shape:?}");
        let lines = if self.line == Line::Row { self.m } else { self.n };
        assert!(sums.len() == lines, "{} sums of {lines} lines", sums.len());
        visit(self.structure, a, |i, j, x| {
            sums[if self.line == Line::Row { i } else { j }] += self.term.of(x);
        });
    }
}
