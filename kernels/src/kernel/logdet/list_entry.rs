//! The list's entry of the log-determinant: a typical call.

use tegula_runtime::flow::Codelet;

use super::LogDet;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Real;
use crate::tile::TileRef;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = LogDet::<f64>::NAME;
    const FORMULA: &'static str = "sum = sum + factor sum_i log |a_ii|";
    const FLOPS: &'static str = "2 n";
}

impl<T: Real> KernelEntryIn<T> for ListEntry {
    type Codelet = LogDet<T>;

    /// The contribution of a tile of a Cholesky factor.
    fn typical(n: usize) -> LogDet<T> {
        LogDet::cholesky(n, 0)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: LogDet<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let mut sum = 0.0;
        let a = TileRef::new(operands[0], n, n);
        kernel.compute(a, &mut sum).expect("a dominant diagonal has no zero");
        std::hint::black_box(sum);
    }
}
