//! Trials of the dot product.

use super::Dot;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::scalar::Real;

impl<T: Real> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let n = shape.m * shape.n;
        let (x, y) = (random.numbers::<T>(n), random.numbers::<T>(n));
        let (mut got, mut expected) = (0.5, 0.5);
        Dot::new(n).compute(&x, &y, &mut got);
        Dot::new(n).reference(&x, &y, &mut expected);
        // Two sums of n + 1 terms of at most 1, each to n + 1 roundings of the partial sums.
        let terms = n as f64 + 1.0;
        let (error, tolerance) = ((got - expected).abs(), terms * terms * f64::EPSILON);
        vec![Trial { case: format!("n {n}"), error, tolerance }]
    }
}
