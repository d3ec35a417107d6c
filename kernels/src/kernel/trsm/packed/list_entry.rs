//! The list's entry of the solve that also packs its result: a typical call.

use std::marker::PhantomData;

use super::TrsmPacked;
use crate::backend::Blas;
use crate::kernel::random::{RandomInputs, packed_operand};
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::packed::PackedMut;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = "trsm-strips";
    const FORMULA: &'static str = "B = B inv(L'), and B packed";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = TrsmPacked<T>;

    /// The solve of a tiled Cholesky factorization.
    fn typical(n: usize) -> TrsmPacked<T> {
        TrsmPacked { m: n, n, ld: n, height: 1, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), packed_operand(n, random), random.numbers(n * n)]
    }

    fn run(kernel: TrsmPacked<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [l, packed, b] = operands else { unreachable!("three operands were made") };
        let height = blas.micro_panel_height().unwrap_or(n);
        let trsm = TrsmPacked { height, ..kernel };
        let shape = trsm.result();
        let packed = PackedMut::new(&mut packed[..shape.elements()], shape);
        trsm.compute(blas, TileRef::new(l, n, n), TileMut::new(b, n, n), packed);
    }
}
