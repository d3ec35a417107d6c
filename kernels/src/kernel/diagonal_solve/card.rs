//! The list's card of the solve: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::DiagonalSolve;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = DiagonalSolve::<f64>::NAME;
    const FORMULA: &'static str = "B = inv(D) B, D diagonal";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = DiagonalSolve<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [d, b] = operands else { unreachable!("two operands were made") };
        let solve = DiagonalSolve::<T> { m: n, n, scalar: PhantomData };
        solve.compute(TileRef::new(d, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        DiagonalSolve::<T> { m: n, n, scalar: PhantomData }.cost()
    }
}
