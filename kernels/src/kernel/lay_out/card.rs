//! The list's card of the laying out: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::{LayOut, Structure};
use crate::backend::Blas;
use crate::kernel::draw::{Draw, in_strips};
use crate::kernel::{Listed, ListedIn};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::strips::StripsMut;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LayOut::<f64>::NAME;
    const FORMULA: &'static str = "op(A) in strips";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = LayOut<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n), in_strips(n, draw)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, strips] = operands else { unreachable!("two operands were made") };
        let lay_out = LayOut { height: blas.strip_height().unwrap_or(8), ..typical(n) };
        let strips = StripsMut::new(&mut strips[..lay_out.shape().elements()], lay_out.shape());
        lay_out.compute(blas, TileRef::new(a, n, n), strips);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A left factor.
fn typical<T: Scalar>(n: usize) -> LayOut<T> {
    LayOut::whole(Structure::General, Trans::No, (n, n), 8)
}
