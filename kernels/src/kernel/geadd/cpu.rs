//! The sum in blocks of columns, so that a transposed operand is read along cache lines.

use super::Geadd;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Rows and columns of a block: `BLOCK` cache lines of each operand stay in the first cache.
const BLOCK: usize = 32;

impl<T: Scalar> Geadd<T> {
    /// Computes; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let a = self.trans.of(a);
        let (theirs, mine) = ((a.rows(), a.cols()), (b.rows(), b.cols()));
        assert!(theirs == mine, "sum of {theirs:?} and {mine:?}");
        let (rows, cols) = mine;
        for j in (0..cols).step_by(BLOCK) {
            let width = BLOCK.min(cols - j);
            for i in (0..rows).step_by(BLOCK) {
                let height = BLOCK.min(rows - i);
                let block = b.reborrow().part(i, j, height, width);
                self.add_block(a.part(i, j, height, width), block);
            }
        }
    }

    fn add_block(&self, a: TileRef<'_, T>, mut b: TileMut<'_, T>) {
        let &Self { alpha, beta, .. } = self;
        for j in 0..b.cols() {
            let Some((b, a)) = b.col_mut(j).zip(a.col(j)) else {
                self.add_column(a, &mut b, j);
                continue;
            };
            let pairs = b.iter_mut().zip(a);
            if beta == T::ZERO {
                pairs.for_each(|(b, &a)| *b = alpha * a);
            } else {
                pairs.for_each(|(b, &a)| *b = alpha * a + beta * *b);
            }
        }
    }

    fn add_column(&self, a: TileRef<'_, T>, b: &mut TileMut<'_, T>, j: usize) {
        for i in 0..b.rows() {
            let old = if self.beta == T::ZERO { T::ZERO } else { self.beta * b.at(i, j) };
            b.set(i, j, self.alpha * a.at(i, j) + old);
        }
    }
}
