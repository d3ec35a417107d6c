//! The sums, entry by entry.

use super::{LowRank, Mirror, Parts};
use crate::scalar::{Real, Scalar, c64};
use crate::tile::TileMut;

impl<T: Scalar> LowRank<T> {
    /// Fills `a`.
    ///
    /// # Panics
    /// If a shape is another.
    #[inline(never)]
    pub fn compute(&self, parts: Parts<'_>, mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "{mine:?} into a tile {shape:?}");
        let (m, n) = if self.mirror == Mirror::Whole { (self.n, self.m) } else { mine };
        let lengths = [parts.diagonal.len(), parts.x.len(), parts.y.len()];
        assert!(lengths == [m, m * self.rank, n * self.rank], "{lengths:?} numbers for {self:?}");
        for j in 0..self.n {
            for i in 0..self.m {
                let is_mirrored = self.is_mirrored(i, j);
                let (row, column) = if is_mirrored { (j, i) } else { (i, j) };
                let mut entry = c64::ZERO;
                for k in 0..self.rank {
                    entry += parts.x[row + k * m] * parts.y[column + k * n].conj();
                }
                if i as isize + self.below == j as isize {
                    entry += parts.diagonal[row];
                    if self.mirror != Mirror::None {
                        entry.im = 0.0;
                    }
                }
                let entry = if is_mirrored { entry.conj() } else { entry };
                let part = T::Real::of_f64;
                a.set(i, j, T::from_parts(part(entry.re), part(entry.im)));
            }
        }
    }
}
