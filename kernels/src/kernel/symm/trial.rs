//! Trials of the product with a symmetric matrix.

use super::Symm;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Side::ALL.map(|side| Uplo::ALL.map(|uplo| (form, side, uplo))));
        for (form, side, uplo) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                trials.push(compare(Symm { form, side, uplo, m, n, alpha, beta }, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(symm: Symm<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Symm { uplo, m, n, alpha, beta, .. } = symm;
    let order = symm.order();
    let mut a = Guarded::random(order, order, random);
    a.keep(|i, j| uplo.holds(i, j));
    let b = Guarded::random(m, n, random);
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, random) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    symm.compute(blas, a.read(), b.read(), got.write());
    symm.reference(a.read(), b.read(), expected.write());
    // As for a matrix product: entries of at most 1, or root 2 if complex.
    let terms = 2.0 * alpha.size() * order as f64 + 2.0 * beta.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{symm:?}"), error, tolerance }
}
