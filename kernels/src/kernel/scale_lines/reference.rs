//! The scaling by the definition, in double precision.

use super::{Root, ScaleLines};
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;

impl<T: Scalar> ScaleLines<T> {
    /// Entry by entry.
    pub fn reference(&self, (rows, columns): (&[T], &[T]), mut a: TileMut<'_, T>) {
        let length = |root: Root, squares: &[T], index: usize| match root {
            Root::None => 1.0,
            Root::Square => squares[index].re().to_f64().sqrt(),
            Root::Fourth => squares[index].re().to_f64().powf(0.25),
        };
        for j in 0..self.n {
            for i in 0..self.m {
                let lengths = [length(self.row, rows, i), length(self.column, columns, j)];
                let used: f64 = lengths.into_iter().filter(|&length| length != 0.0).product();
                let x = a.at(i, j);
                let part = |part: T::Real| T::Real::of_f64(part.to_f64() / used);
                a.set(i, j, T::from_parts(part(x.re()), part(x.im())));
            }
        }
    }
}
