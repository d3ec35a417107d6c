//! The list's entry of multiplying reflectors out: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Ungqr;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Ungqr::<f64>::NAME;
    const FORMULA: &'static str = "the first columns of Q from its reflectors, in place";
    const FLOPS: &'static str = "3 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Ungqr<T>;

    /// All reflectors of a square tile.
    fn typical(n: usize) -> Ungqr<T> {
        Ungqr { storev: Storev::Columns, m: n, n, k: n, offset: 0, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.dominant(n)]
    }

    fn run(kernel: Ungqr<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, a] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileMut::new(a, n, n), TileRef::new(t, n, n));
    }
}
