//! The list's entry of the comparison: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Negligible;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Negligible::<f64>::NAME;
    const FORMULA: &'static str = "sums of squares that are rounding become 0";
    const FLOPS: &'static str = "2 n";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Negligible<T>;

    fn typical(n: usize) -> Negligible<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![sums(n, random), sums(n, random)]
    }

    fn run(kernel: Negligible<T>, _: &dyn Blas<T>, _: usize, operands: &mut [&mut [T]]) {
        let [before, after] = operands else { unreachable!("two operands were made") };
        kernel.compute(before, after);
    }
}

pub(super) fn typical<T: Scalar>(n: usize) -> Negligible<T> {
    Negligible { n, part: (1000.0 * T::epsilon()).powi(2), scalar: PhantomData }
}

/// Sums between one half and two.
pub(super) fn sums<T: Scalar>(count: usize, random: &mut RandomInputs) -> Vec<T> {
    random.numbers::<T>(count).into_iter().map(|x| T::from_f64(0.5 + x.size())).collect()
}
