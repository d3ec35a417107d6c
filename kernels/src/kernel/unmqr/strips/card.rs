//! The list's card of the product with reflectors in strips: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::UnmqrStrips;
use crate::backend::Blas;
use crate::householder::Laid;
use crate::kernel::draw::{Draw, in_strips};
use crate::kernel::unmqr::card::typical;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::strips::StripsRef;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "unmqr-strips";
    const FORMULA: &'static str = "C = op(Q) C, Q of reflectors in strips";
    const FLOPS: &'static str = "5 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = UnmqrStrips<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![in_strips(n, draw), in_strips(n, draw), draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [columns, rows, t, c] = operands else { unreachable!("four operands were made") };
        let product = of_square::<T>(n, blas.strip_height().unwrap_or(n) as u32);
        let [of_columns, of_rows] = product.lay_outs().map(|lay_out| lay_out.shape());
        let laid = Laid {
            columns: StripsRef::new(&columns[..of_columns.elements()], of_columns),
            rows: StripsRef::new(&rows[..of_rows.elements()], of_rows),
        };
        product.compute(blas, laid, TileRef::new(t, n, n), TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        of_square::<T>(n, 1).cost()
    }
}

fn of_square<T: Scalar>(n: usize, height: u32) -> UnmqrStrips<T> {
    UnmqrStrips { product: typical(n), height }
}
