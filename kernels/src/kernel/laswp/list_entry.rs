//! The list's entry of the exchange of rows: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Laswp;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Laswp::<f64>::NAME;
    const FORMULA: &'static str = "rows i and pivots[i] of A change places";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Laswp<T>;

    /// The exchange of all rows of a square tile.
    fn typical(n: usize) -> Laswp<T> {
        Laswp { m: n, n, first: 0, backward: false, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: Laswp<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let pivots: Vec<u32> = (0..n as u32).rev().collect();
        kernel.compute(&pivots, TileMut::new(operands[0], n, n));
    }
}
