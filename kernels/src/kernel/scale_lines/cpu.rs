//! The scaling, column by column.

use super::{Root, ScaleLines};
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;
use crate::workspace::with_room;

impl Root {
    /// What a line with the sum of squares `square` is multiplied by.
    fn factor<R: Real>(self, square: R) -> R {
        match self {
            Self::None => R::ONE,
            _ if square == R::ZERO => R::ONE,
            Self::Square => R::ONE / square.sqrt(),
            Self::Fourth => R::ONE / square.sqrt().sqrt(),
        }
    }

    /// That of line `index`.
    fn of<T: Scalar>(self, squares: &[T], index: usize) -> T::Real {
        if self == Self::None { T::Real::ONE } else { self.factor(squares[index].re()) }
    }
}

impl<T: Scalar> ScaleLines<T> {
    /// Scales `a` by the sums of squares of rows and columns.
    ///
    /// # Panics
    /// If the shape is another, or a sum that is read is missing.
    #[inline(never)]
    pub fn compute(&self, (rows, columns): (&[T], &[T]), mut a: TileMut<'_, T>) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "lines of {mine:?} in a tile {shape:?}");
        with_room(self.m, |factors: &mut [T::Real]| {
            for (i, factor) in factors.iter_mut().enumerate() {
                *factor = self.row.of(rows, i);
            }
            for j in 0..self.n {
                let column = self.column.of(columns, j);
                for (i, &row) in factors.iter().enumerate() {
                    a.set(i, j, a.at(i, j).times_real(row).times_real(column));
                }
            }
        });
    }
}
