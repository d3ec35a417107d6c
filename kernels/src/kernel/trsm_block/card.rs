//! The list's card of the step of a solve: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::TrsmBlock;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = TrsmBlock::<f64>::NAME;
    const FORMULA: &'static str = "a step of B = inv(op(R)) B, R in block columns";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = TrsmBlock<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        typical(n).compute(blas, TileRef::new(a, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A square tile, with nothing above the triangle.
fn typical<T: Scalar>(n: usize) -> TrsmBlock<T> {
    let (storev, trans, nrhs) = (Storev::Columns, Trans::No, n as u32);
    TrsmBlock { storev, trans, m: n, n, k: n, offset: 0, rows: n, nrhs, scalar: PhantomData }
}
