//! Trials of the dot product and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Dot;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Real;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Dot::<f64>::NAME;
    const FORMULA: &'static str = "sum = sum + x' y";
    const FLOPS: &'static str = "2 n";
}

impl<T: Real> ListedIn<T> for Card {
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

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        (0..2).map(|_| draw.numbers(n * n)).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let mut sum = 0.0;
        typical::<T>(n).compute(operands[0], operands[1], &mut sum);
        std::hint::black_box(sum);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The Frobenius product of two tiles.
fn typical<T: Real>(n: usize) -> Dot<T> {
    Dot::new(n * n)
}
