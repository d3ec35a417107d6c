//! The list's entry of the triangular inverse: a typical call.

use tegula_runtime::flow::Codelet;

use super::Trtri;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Trtri::<f64>::NAME;
    const FORMULA: &'static str = "A = inv(A), triangular, in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Trtri<T>;

    /// The lower inverse.
    fn typical(n: usize) -> Trtri<T> {
        Trtri::new(Uplo::Lower, Diag::NonUnit, n, 0)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: Trtri<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileMut::new(operands[0], n, n);
        kernel.compute(blas, a).expect("a dominant triangle has an inverse");
    }
}
