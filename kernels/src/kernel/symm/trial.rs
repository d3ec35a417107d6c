//! Trials of the product with a symmetric matrix.

use super::Symm;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Side::ALL.map(|side| Uplo::ALL.map(|uplo| (form, side, uplo))));
        for (form, side, uplo) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                trials.push(compare(Symm { form, side, uplo, m, n, alpha, beta }, blas, draw));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(symm: Symm<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Symm { uplo, m, n, alpha, beta, .. } = symm;
    let order = symm.order();
    let mut a = Guarded::random(order, order, draw);
    a.keep(|i, j| uplo.holds(i, j));
    let b = Guarded::random(m, n, draw);
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, draw) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    symm.compute(blas, a.read(), b.read(), got.write());
    symm.reference(a.read(), b.read(), expected.write());
    // As for a matrix product: entries of at most 1, or root 2 if complex.
    let terms = 2.0 * alpha.size() * order as f64 + 2.0 * beta.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{symm:?}"), error, tolerance }
}
