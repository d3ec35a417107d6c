//! The list's card of the product with reflectors below a triangle: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Tpmqrt;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::option::{Below, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Tpmqrt::<f64>::NAME;
    const FORMULA: &'static str = "[C1; C2] = op(Q) [C1; C2] with the reflectors of tpqrt";
    const FLOPS: &'static str = "4 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Tpmqrt<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        let t = draw.numbers(typical::<T>(n).ib.min(n) * n);
        vec![draw.numbers(n * n), t, draw.numbers(n * n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, t, c1, c2] = operands else { unreachable!("four operands were made") };
        let tpmqrt = typical(n);
        let block = (TileRef::new(v, n, n), TileRef::new(t, tpmqrt.ib.min(n), n));
        tpmqrt.compute(blas, block, TileMut::new(c1, n, n), TileMut::new(c2, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// Square tiles.
fn typical<T: Scalar>(n: usize) -> Tpmqrt<T> {
    let (below, trans, scalar) = (Below::Square, Trans::Conj, PhantomData);
    Tpmqrt { below, trans, top: n, m: n, n, k: n, ib: 24, scalar }
}
