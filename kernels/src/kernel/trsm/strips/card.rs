//! The list's card of the solve that also lays its result out in strips: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::TrsmStrips;
use crate::backend::Blas;
use crate::kernel::draw::{Draw, in_strips};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::strips::StripsMut;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "trsm-strips";
    const FORMULA: &'static str = "B = B inv(L'), and B in strips";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = TrsmStrips<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), in_strips(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [l, strips, b] = operands else { unreachable!("three operands were made") };
        let trsm = typical(n, blas.strip_height().unwrap_or(n));
        let shape = trsm.result();
        let strips = StripsMut::new(&mut strips[..shape.elements()], shape);
        trsm.compute(blas, TileRef::new(l, n, n), TileMut::new(b, n, n), strips);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, 1).cost()
    }
}

/// The solve of a tiled Cholesky factorization.
fn typical<T: Scalar>(n: usize, height: usize) -> TrsmStrips<T> {
    TrsmStrips { m: n, n, ld: n, height, scalar: PhantomData }
}
