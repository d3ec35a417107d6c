//! The list's entry of the LU factorization: a typical call.

use tegula_runtime::flow::Codelet;

use super::GetrfNopiv;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = GetrfNopiv::<f64>::NAME;
    const FORMULA: &'static str = "A = L U without pivoting, in place";
    const FLOPS: &'static str = "2 n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = GetrfNopiv<T>;

    /// The factorization of a square tile.
    fn typical(n: usize) -> GetrfNopiv<T> {
        GetrfNopiv::new(n, n, 0)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: GetrfNopiv<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileMut::new(operands[0], n, n);
        kernel.compute(blas, a).expect("a dominant matrix has no zero pivot");
    }
}
