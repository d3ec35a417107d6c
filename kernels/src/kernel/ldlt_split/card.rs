//! The list's card of the split: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::LdltSplit;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LdltSplit::<f64>::NAME;
    const FORMULA: &'static str = "W = A, A = A inv(D)";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = LdltSplit<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [d, a, w] = operands else { unreachable!("three operands were made") };
        let (a, w) = (TileMut::new(a, n, n), TileMut::new(w, n, n));
        typical(n).compute(TileRef::new(d, n, n), a, w);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

fn typical<T: Scalar>(n: usize) -> LdltSplit<T> {
    LdltSplit { is_transposed: false, m: n, n, scalar: PhantomData }
}
