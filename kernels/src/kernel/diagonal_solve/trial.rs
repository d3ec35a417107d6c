//! Trials of the solve.

use std::marker::PhantomData;

use super::DiagonalSolve;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let solve = DiagonalSolve::<T> { m: shape.m, n: shape.n, scalar: PhantomData };
        let mut d = Guarded::new(solve.m, solve.m, &random.dominant::<T>(solve.m));
        d.keep(|i, j| i == j);
        let before = Guarded::random(solve.m, solve.n, random);
        let (mut got, mut expected) = (before.clone(), before.clone());
        solve.compute(d.read(), got.write());
        solve.reference(d.read(), expected.write());
        let error = got.deviation(&before, &expected, |_, _| true);
        vec![Trial { case: format!("{solve:?}"), error, tolerance: 0.0 }]
    }
}
