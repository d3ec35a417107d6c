//! The list's entry of the column sums: a typical call.

use tegula_runtime::flow::Codelet;

use super::ColumnSquares;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Real;
use crate::tile::TileRef;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = ColumnSquares::<f64>::NAME;
    const FORMULA: &'static str = "s_j = s_j + sum_i a_ij^2";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Real> KernelEntryIn<T> for ListEntry {
    type Codelet = ColumnSquares<T>;

    fn typical(n: usize) -> ColumnSquares<T> {
        ColumnSquares::new(n, n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n), random.numbers(n)]
    }

    fn run(kernel: ColumnSquares<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, sums] = operands else { unreachable!("two operands were made") };
        kernel.compute(TileRef::new(a, n, n), sums);
    }
}
