//! The list's entry of the Cholesky factorization: a typical call.

use tegula_runtime::flow::Codelet;

use super::Potrf;
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
    const NAME: &'static str = Potrf::<f64>::NAME;
    const FORMULA: &'static str = "A = L L' or U' U, in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Potrf<T>;

    /// The lower factorization.
    fn typical(n: usize) -> Potrf<T> {
        Potrf::new(Uplo::Lower, n, 0)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: Potrf<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileMut::new(operands[0], n, n);
        kernel.compute(blas, a).expect("a dominant matrix is positive definite");
    }
}
