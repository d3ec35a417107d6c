//! The list's entry of the update of an LU factorization: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::GetrfUpdate;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = GetrfUpdate::<f64>::NAME;
    const FORMULA: &'static str = "U = inv(L1) P U, B = B - L2 U";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = GetrfUpdate<T>;

    /// The update of a square tile.
    fn typical(n: usize) -> GetrfUpdate<T> {
        GetrfUpdate { m: n, n, k: n, first: 0, height: None, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: GetrfUpdate<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [panel, column] = operands else { unreachable!("two operands were made") };
        let pivots: Vec<u32> = (0..n as u32).collect();
        let (panel, column) = (TileRef::new(panel, n, n), TileMut::new(column, n, n));
        kernel.compute(blas, panel, &pivots, None, column);
    }
}
