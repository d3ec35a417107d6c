//! The list's entry of the copy of a block: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::{Block, CopyPart};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = CopyPart::<f64>::NAME;
    const FORMULA: &'static str = "a block of B = a block of A";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = CopyPart<T>;

    /// A whole tile.
    fn typical(n: usize) -> CopyPart<T> {
        let whole = Block { tile: (n as u32, n as u32), first: (0, 0) };
        CopyPart { from: whole, to: whole, size: whole.tile, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..2).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: CopyPart<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(TileRef::new(a, n, n), TileMut::new(b, n, n));
    }
}
