//! The list's card of the product with packed reflectors: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::UnmqrPacked;
use crate::backend::Blas;
use crate::householder::PackedReflectors;
use crate::kernel::draw::{Draw, packed_operand};
use crate::kernel::unmqr::card::typical;
use crate::kernel::{Listed, ListedIn};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "unmqr-strips";
    const FORMULA: &'static str = "C = op(Q) C, Q of packed reflectors";
    const FLOPS: &'static str = "5 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = UnmqrPacked<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![
            packed_operand(n, draw),
            packed_operand(n, draw),
            draw.dominant(n),
            draw.numbers(n * n),
        ]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [columns, rows, t, c] = operands else { unreachable!("four operands were made") };
        let product = of_square::<T>(n, blas.micro_panel_height().unwrap_or(n) as u32);
        let [of_columns, of_rows] = product.packs().map(|pack| pack.shape());
        let packed = PackedReflectors {
            columns: PackedRef::new(&columns[..of_columns.elements()], of_columns),
            rows: PackedRef::new(&rows[..of_rows.elements()], of_rows),
        };
        product.compute(blas, packed, TileRef::new(t, n, n), TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        of_square::<T>(n, 1).cost()
    }
}

fn of_square<T: Scalar>(n: usize, height: u32) -> UnmqrPacked<T> {
    UnmqrPacked { product: typical(n), height }
}
