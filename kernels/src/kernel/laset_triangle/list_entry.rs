//! The list's entry of the filling of a triangle: a typical call.

use tegula_runtime::flow::Codelet;

use super::LasetTriangle;
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
    const NAME: &'static str = LasetTriangle::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = off_diagonal, a_ii = diagonal, in a triangle";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = LasetTriangle<T>;

    fn typical(n: usize) -> LasetTriangle<T> {
        typical(n, n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: LasetTriangle<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        kernel.compute(TileMut::new(operands[0], n, n));
    }
}

/// A triangle of quarters with a diagonal of -2.
pub(super) fn typical<T: Scalar>(m: usize, n: usize) -> LasetTriangle<T> {
    let (off_diagonal, diagonal) = (T::from_f64(0.25), T::from_f64(-2.0));
    LasetTriangle { uplo: Uplo::Lower, m, n, off_diagonal, diagonal }
}
