//! The list's entry of the scaling: a typical call.

use tegula_runtime::flow::Codelet;

use super::Lascal;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Lascal::<f64>::NAME;
    const FORMULA: &'static str = "A = alpha A, or one triangle of it";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Lascal<T>;

    /// A change of sign.
    fn typical(n: usize) -> Lascal<T> {
        Lascal { part: Part::Whole, m: n, n, alpha: -T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: Lascal<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        kernel.compute(TileMut::new(operands[0], n, n));
    }
}
