//! The list's entry of the dot product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Dot;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Real;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Dot::<f64>::NAME;
    const FORMULA: &'static str = "sum = sum + x' y";
    const FLOPS: &'static str = "2 n";
}

impl<T: Real> KernelEntryIn<T> for ListEntry {
    type Codelet = Dot<T>;

    /// The Frobenius product of two tiles.
    fn typical(n: usize) -> Dot<T> {
        Dot::new(n * n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..2).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Dot<T>, _: &dyn Blas<T>, _: usize, operands: &mut [&mut [T]]) {
        let mut sum = 0.0;
        kernel.compute(operands[0], operands[1], &mut sum);
        std::hint::black_box(sum);
    }
}
