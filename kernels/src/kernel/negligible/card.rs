//! The list's card of the comparison: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Negligible;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Negligible::<f64>::NAME;
    const FORMULA: &'static str = "sums of squares that are rounding become 0";
    const FLOPS: &'static str = "2 n";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Negligible<T>;

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

pub(super) fn typical<T: Scalar>(n: usize) -> Negligible<T> {
    Negligible { n, part: (1000.0 * T::epsilon()).powi(2), scalar: PhantomData }
}

/// Sums between one half and two.
pub(super) fn sums<T: Scalar>(count: usize, draw: &mut Draw) -> Vec<T> {
    draw.numbers::<T>(count).into_iter().map(|x| T::from_f64(0.5 + x.size())).collect()
}
