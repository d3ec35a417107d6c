//! The sum by columns of the part.

use super::Tradd;
use crate::kernel::geadd::Geadd;
use crate::option::{Part, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tradd<T> {
    /// Computes; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let a = self.trans.of(a);
        let (theirs, mine) = ((a.rows(), a.cols()), (b.rows(), b.cols()));
        assert!(theirs == mine, "sum of {theirs:?} and {mine:?}");
        if self.part == Part::Whole {
            return self.add(a, b);
        }
        for j in 0..b.cols() {
            let rows = self.part.rows(b.rows(), j);
            let (first, count) = (rows.start, rows.len());
            self.add(a.part(first, j, count, 1), b.reborrow().part(first, j, count, 1));
        }
    }

    /// The sum of matrices that count whole.
    fn add(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let &Self { alpha, beta, .. } = self;
        if alpha == T::ZERO {
            return b.scale(beta);
        }
        let (m, n) = (b.rows(), b.cols());
        Geadd { trans: Trans::No, m, n, alpha, beta }.compute(a, b);
    }
}
