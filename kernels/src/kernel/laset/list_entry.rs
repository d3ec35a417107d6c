//! The list's entry of the filling: a typical call.

use tegula_runtime::flow::Codelet;

use super::Laset;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Laset::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = off_diagonal, a_ii = diagonal";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Laset<T>;

    /// The identity.
    fn typical(n: usize) -> Laset<T> {
        Laset { m: n, n, off_diagonal: T::ZERO, diagonal: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: Laset<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        kernel.compute(TileMut::new(operands[0], n, n));
    }
}
