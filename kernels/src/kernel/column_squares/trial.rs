//! Trials of the column sums.

use super::ColumnSquares;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Real;

impl<T: Real> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let squares = ColumnSquares::<T>::new(shape.m, shape.n);
        let a = Guarded::random(shape.m, shape.n, random);
        let mut got = random.numbers::<T>(shape.n);
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
