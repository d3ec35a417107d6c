//! The list's entry of the product of operands that a device may round: a typical call.

use tegula_runtime::flow::Codelet;

use super::GemmTf32;
use crate::backend::Blas;
use crate::kernel::gemm::ListEntry as Exact;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = GemmTf32::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha op(A) op(B) + beta C, in TF32 where a device has it";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = GemmTf32<T>;

    /// The product of a tiled Cholesky factorization: `C = C - A B'`.
    fn typical(n: usize) -> GemmTf32<T> {
        GemmTf32(Exact::typical(n))
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        <Exact as KernelEntryIn<T>>::operands(n, random)
    }

    fn run(kernel: GemmTf32<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        Exact::run(kernel.0, blas, n, operands);
    }
}
