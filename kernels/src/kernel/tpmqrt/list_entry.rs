//! The list's entry of the product with reflectors below a triangle: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Tpmqrt;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Below, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Tpmqrt::<f64>::NAME;
    const FORMULA: &'static str = "[C1; C2] = op(Q) [C1; C2] with the reflectors of tpqrt";
    const FLOPS: &'static str = "4 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Tpmqrt<T>;

    fn typical(n: usize) -> Tpmqrt<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        let t = random.numbers(typical::<T>(n).ib.min(n) * n);
        vec![random.numbers(n * n), t, random.numbers(n * n), random.numbers(n * n)]
    }

    fn run(tpmqrt: Tpmqrt<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, t, c1, c2] = operands else { unreachable!("four operands were made") };
        let block = (TileRef::new(v, n, n), TileRef::new(t, tpmqrt.ib.min(n), n));
        tpmqrt.compute(blas, block, TileMut::new(c1, n, n), TileMut::new(c2, n, n));
    }
}

/// Square tiles.
fn typical<T: Scalar>(n: usize) -> Tpmqrt<T> {
    let (below, trans, scalar) = (Below::Square, Trans::Conj, PhantomData);
    Tpmqrt { below, trans, top: n, m: n, n, k: n, ib: 24, scalar }
}
