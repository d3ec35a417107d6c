//! The list's entry of the check: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::CheckDiagonal;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = CheckDiagonal::<f64>::NAME;
    const FORMULA: &'static str = "fails if an entry of the diagonal is zero";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = CheckDiagonal<T>;

    fn typical(n: usize) -> CheckDiagonal<T> {
        typical(n, n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: CheckDiagonal<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileRef::new(operands[0], n, n);
        kernel.compute(a).expect("a dominant diagonal has no zero");
    }
}

/// The check of a tile that begins at row 1000.
pub(super) fn typical<T: Scalar>(m: usize, n: usize) -> CheckDiagonal<T> {
    CheckDiagonal { m, n, offset: 1000, scalar: PhantomData }
}
