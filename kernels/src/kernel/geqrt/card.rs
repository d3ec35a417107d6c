//! The list's card of the factorization of panels: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Geqrt;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Geqrt::<f64>::NAME;
    const FORMULA: &'static str = "A = Q R with its reflectors, or A = L Q, in place";
    const FLOPS: &'static str = "4 n^3/3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Geqrt<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![vec![T::ZERO; n], vec![T::ZERO; n * n], draw.dominant(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [tau, t, a] = operands else { unreachable!("three operands were made") };
        let (tau, t) = (TileMut::new(tau, n, 1), TileMut::new(t, n, n));
        typical(n).compute(blas, TileMut::new(a, n, n), tau, t);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The factorization of a square tile.
fn typical<T: Scalar>(n: usize) -> Geqrt<T> {
    Geqrt { storev: Storev::Columns, m: n, n, offset: 0, scalar: PhantomData }
}
