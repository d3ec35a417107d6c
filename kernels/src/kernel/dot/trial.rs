//! Trials of the dot product.

use super::Dot;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::scalar::Real;

impl<T: Real> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let n = shape.m * shape.n;
        let (x, y) = (draw.numbers::<T>(n), draw.numbers::<T>(n));
        let (mut got, mut expected) = (0.5, 0.5);
        Dot::new(n).compute(&x, &y, &mut got);
        Dot::new(n).reference(&x, &y, &mut expected);
        // Two sums of n + 1 terms of at most 1, each to n + 1 roundings of the partial sums.
        let terms = n as f64 + 1.0;
        let (error, tolerance) = ((got - expected).abs(), terms * terms * f64::EPSILON);
        vec![Trial { case: format!("n {n}"), error, tolerance }]
    }
}
