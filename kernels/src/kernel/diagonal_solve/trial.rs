//! Trials of the solve.

use std::marker::PhantomData;

use super::DiagonalSolve;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
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
}
