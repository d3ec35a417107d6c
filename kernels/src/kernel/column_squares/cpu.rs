//! The sums, with several partial sums side by side so that they vectorise.

use super::ColumnSquares;
use crate::scalar::Real;
use crate::tile::TileRef;

/// Partial sums of a column.
const LANES: usize = 16;

impl<T: Real> ColumnSquares<T> {
    /// Adds the squared lengths of the columns of `a` to `sums`.
    ///
    /// # Panics
    /// If there are not as many sums as columns.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, sums: &mut [T]) {
        assert_eq!(sums.len(), self.n, "sums and columns");
        for (j, sum) in sums.iter_mut().enumerate() {
            match a.col(j) {
                Some(column) => *sum += squares(column),
                None => (0..self.m).for_each(|i| *sum += a.at(i, j) * a.at(i, j)),
            }
        }
    }
}

fn squares<T: Real>(x: &[T]) -> T {
    let mut lanes = [T::ZERO; LANES];
    let chunks = x.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += x * x;
        }
    }
    let mut sum = T::ZERO;
    lanes.into_iter().for_each(|lane| sum += lane);
    rest.iter().for_each(|&x| sum += x * x);
    sum
}
