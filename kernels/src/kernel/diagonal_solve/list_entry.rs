//! The list's entry of the solve: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::DiagonalSolve;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = DiagonalSolve::<f64>::NAME;
    const FORMULA: &'static str = "B = inv(D) B, D diagonal";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = DiagonalSolve<T>;

    fn typical(n: usize) -> DiagonalSolve<T> {
        DiagonalSolve { m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: DiagonalSolve<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [d, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(TileRef::new(d, n, n), TileMut::new(b, n, n));
    }
}
