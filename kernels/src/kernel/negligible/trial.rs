//! Trials of the comparison and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Negligible;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::{Real, Scalar};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Negligible::<f64>::NAME;
    const FORMULA: &'static str = "sums of squares that are rounding become 0";
    const FLOPS: &'static str = "2 n";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let kernel = typical::<T>(shape.n);
        let before = sums::<T>(shape.n, draw);
        // Far below what counts as rounding, far above, and as they are.
        let factors = [kernel.part / 8.0, kernel.part * 8.0, 1.0].map(T::Real::of_f64).into_iter();
        let after = before.iter().zip(factors.cycle());
        let after: Vec<T> = after.map(|(sum, factor)| sum.times_real(factor)).collect();
        let (mut got, mut expected) = (after.clone(), after.clone());
        kernel.compute(&before, &mut got);
        kernel.reference(&before, &mut expected);
        let is_some = |sums: &[T]| sums.iter().skip(1).step_by(3).all(|sum| *sum != T::ZERO);
        let case = format!("{kernel:?}");
        vec![Trial::exact(case, got == expected && is_some(&got[..]))]
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![sums(n, draw), sums(n, draw)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [before, after] = operands else { unreachable!("two operands were made") };
        typical(n).compute(before, after);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

fn typical<T: Scalar>(n: usize) -> Negligible<T> {
    Negligible { n, part: (1000.0 * T::epsilon()).powi(2), scalar: PhantomData }
}

/// Sums between one half and two.
fn sums<T: Scalar>(count: usize, draw: &mut Draw) -> Vec<T> {
    draw.numbers::<T>(count).into_iter().map(|x| T::from_f64(0.5 + x.size())).collect()
}
