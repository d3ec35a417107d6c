//! Trials of the triangle of a product.

use super::Gemmt;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::{Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { n, k, .. } = shape;
        let mut trials = Vec::new();
        for (uplo, trans_a) in Uplo::ALL.into_iter().flat_map(|u| Trans::ALL.map(|t| (u, t))) {
            for (trans_b, [alpha, beta]) in Trans::ALL.into_iter().zip(coefficients::<T>()) {
                let gemmt = Gemmt { uplo, trans_a, trans_b, n, k, alpha, beta };
                trials.push(compare(gemmt, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(gemmt: Gemmt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Gemmt { uplo, n, k, alpha, beta, .. } = gemmt;
    let (rows, cols) = gemmt.trans_a.stored(n, k);
    let a = Guarded::random(rows, cols, random);
    let (rows, cols) = gemmt.trans_b.stored(k, n);
    let b = Guarded::random(rows, cols, random);
    let mut before =
        if beta == T::ZERO { Guarded::nan(n, n) } else { Guarded::random(n, n, random) };
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    gemmt.compute(blas, a.read(), b.read(), got.write());
    gemmt.reference(a.read(), b.read(), expected.write());
    // As for a matrix product: entries of at most 1, or root 2 if complex.
    let terms = 2.0 * alpha.size() * k as f64 + 2.0 * beta.size();
    let tolerance = (k as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{gemmt:?}"), error, tolerance }
}
