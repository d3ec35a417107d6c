//! Trials of the solve and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::DiagonalSolve;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
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
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let solve = DiagonalSolve::<T> { m: shape.m, n: shape.n, scalar: PhantomData };
        let mut d = Guarded::new(solve.m, solve.m, &draw.dominant::<T>(solve.m));
        d.keep(|i, j| i == j);
        let before = Guarded::random(solve.m, solve.n, draw);
        let (mut got, mut expected) = (before.clone(), before.clone());
        solve.compute(d.read(), got.write());
        solve.reference(d.read(), expected.write());
        let error = got.deviation(&before, &expected, |_, _| true);
        vec![Trial { case: format!("{solve:?}"), error, tolerance: 0.0 }]
    }

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
