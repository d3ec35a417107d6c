//! The list's entry of the packing: a typical call.

use tegula_runtime::flow::Codelet;

use super::{Pack, Structure};
use crate::backend::Blas;
use crate::kernel::random::{RandomInputs, packed_operand};
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Trans;
use crate::packed::PackedMut;
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Pack::<f64>::NAME;
    const FORMULA: &'static str = "op(A) packed";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Pack<T>;

    /// A left factor.
    fn typical(n: usize) -> Pack<T> {
        Pack::whole(Structure::General, Trans::No, (n, n), 8)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n), packed_operand(n, random)]
    }

    fn run(kernel: Pack<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, packed] = operands else { unreachable!("two operands were made") };
        let pack = Pack { height: blas.micro_panel_height().unwrap_or(8), ..kernel };
        let packed = PackedMut::new(&mut packed[..pack.shape().elements()], pack.shape());
        pack.compute(blas, TileRef::new(a, n, n), packed);
    }
}
