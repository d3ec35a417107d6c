//! The sums by the definition, line by line.

use super::{Line, LineSums};
use crate::kernel::norm::entry;
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> LineSums<T> {
    /// Adds the sums of `a` to `sums`.
    pub fn reference(&self, a: TileRef<'_, T>, sums: &mut [T]) {
        let length = if self.line == Line::Row { self.n } else { self.m };
        for (line, sum) in sums.iter_mut().enumerate() {
            let place = |k| if self.line == Line::Row { (line, k) } else { (k, line) };
            let terms = (0..length).map(|k| self.term.of(entry(self.structure, a, place(k))));
            *sum += terms.sum();
        }
    }
}
