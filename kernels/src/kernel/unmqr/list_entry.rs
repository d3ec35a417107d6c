//! The list's entry of the product with reflectors: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Unmqr;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Side, Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Unmqr::<f64>::NAME;
    const FORMULA: &'static str = "C = op(Q) C, Q of reflectors, or from the right";
    const FLOPS: &'static str = "5 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Unmqr<T>;

    fn typical(n: usize) -> Unmqr<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: Unmqr<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, t, c] = operands else { unreachable!("three operands were made") };
        let (v, t) = (TileRef::new(v, n, n), TileRef::new(t, n, n));
        kernel.compute(blas, v, t, TileMut::new(c, n, n));
    }
}

/// `C = Q^H C` with the reflectors of a square tile.
pub(super) fn typical<T: Scalar>(n: usize) -> Unmqr<T> {
    let (side, trans, storev) = (Side::Left, Trans::Conj, Storev::Columns);
    let (m, order, width, k, offset) = (n, n, n, n, 0);
    Unmqr { side, trans, storev, m, n, order, width, k, offset, scalar: PhantomData }
}
