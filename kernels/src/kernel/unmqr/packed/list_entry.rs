//! The list's entry of the product with packed reflectors: a typical call.

use super::UnmqrPacked;
use crate::backend::Blas;
use crate::householder::PackedReflectors;
use crate::kernel::random::{RandomInputs, packed_operand};
use crate::kernel::unmqr::list_entry::typical;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = "unmqr-strips";
    const FORMULA: &'static str = "C = op(Q) C, Q of packed reflectors";
    const FLOPS: &'static str = "5 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = UnmqrPacked<T>;

    fn typical(n: usize) -> UnmqrPacked<T> {
        UnmqrPacked { product: typical(n), height: 1 }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![
            packed_operand(n, random),
            packed_operand(n, random),
            random.dominant(n),
            random.numbers(n * n),
        ]
    }

    fn run(kernel: UnmqrPacked<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [columns, rows, t, c] = operands else { unreachable!("four operands were made") };
        let height = blas.micro_panel_height().unwrap_or(n) as u32;
        let product = UnmqrPacked { height, ..kernel };
        let [of_columns, of_rows] = product.packs().map(|pack| pack.shape());
        let packed = PackedReflectors {
            columns: PackedRef::new(&columns[..of_columns.elements()], of_columns),
            rows: PackedRef::new(&rows[..of_rows.elements()], of_rows),
        };
        product.compute(blas, packed, TileRef::new(t, n, n), TileMut::new(c, n, n));
    }
}
