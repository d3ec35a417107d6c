//! The list's entry of the triangular product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Lauum;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Lauum::<f64>::NAME;
    const FORMULA: &'static str = "A = L' L or U U', in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Lauum<T>;

    /// The lower product.
    fn typical(n: usize) -> Lauum<T> {
        Lauum::new(Uplo::Lower, n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: Lauum<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        kernel.compute(blas, TileMut::new(operands[0], n, n));
    }
}
