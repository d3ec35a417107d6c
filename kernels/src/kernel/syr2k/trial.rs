//! Trials of the symmetric product of two matrices.

use super::Syr2k;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Uplo::ALL.map(|uplo| Trans::ALL.map(|trans| (form, uplo, trans))));
        for (form, uplo, trans) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                let syr2k = Syr2k { form, uplo, trans, n: shape.n, k: shape.k, alpha, beta };
                trials.push(compare(syr2k, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(syr2k: Syr2k<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Syr2k { uplo, n, k, alpha, beta, .. } = syr2k;
    let (rows, cols) = syr2k.trans.stored(n, k);
    let (a, b) = (Guarded::random(rows, cols, random), Guarded::random(rows, cols, random));
    let mut before =
        if beta == T::ZERO { Guarded::nan(n, n) } else { Guarded::random(n, n, random) };
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    syr2k.compute(blas, a.read(), b.read(), got.write());
    syr2k.reference(a.read(), b.read(), expected.write());
    // As for a matrix product of twice the inner size: entries of at most 1, or root 2 if complex.
    let terms = 4.0 * alpha.size() * k as f64 + 2.0 * beta.size();
    let tolerance = (2.0 * k as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{syr2k:?}"), error, tolerance }
}
