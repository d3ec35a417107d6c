//! The list's entry of the step of a solve: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::TrsmBlock;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = TrsmBlock::<f64>::NAME;
    const FORMULA: &'static str = "a step of B = inv(op(R)) B, R in block columns";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = TrsmBlock<T>;

    /// A square tile, with nothing above the triangle.
    fn typical(n: usize) -> TrsmBlock<T> {
        let (storev, trans, nrhs) = (Storev::Columns, Trans::No, n as u32);
        TrsmBlock { storev, trans, m: n, n, k: n, offset: 0, rows: n, nrhs, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: TrsmBlock<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileRef::new(a, n, n), TileMut::new(b, n, n));
    }
}
