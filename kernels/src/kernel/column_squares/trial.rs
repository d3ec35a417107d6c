//! Trials of the column sums.

use super::ColumnSquares;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Real;

impl<T: Real> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let squares = ColumnSquares::<T>::new(shape.m, shape.n);
        let a = Guarded::random(shape.m, shape.n, draw);
        let mut got = draw.numbers::<T>(shape.n);
        let mut expected = got.clone();
        squares.compute(a.read(), &mut got);
        squares.reference(a.read(), &mut expected);
        let error = got.iter().zip(&expected).map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
        // Two sums of m + 1 terms of at most 1, in different order.
        let terms = shape.m as f64 + 1.0;
        let tolerance = 2.0 * terms * T::epsilon() * terms;
        let error = error.fold(0.0, f64::max);
        vec![Trial { case: format!("{squares:?}"), error, tolerance }]
    }
}
