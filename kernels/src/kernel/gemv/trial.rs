//! Trials of the product with a vector.

use super::Gemv;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for trans in Trans::ALL {
            for (alpha, beta) in [(-1.0, 1.0), (0.75, 0.0), (1.5, -0.5), (0.0, 2.0)] {
                let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
                let gemv = Gemv { trans, m: shape.m, n: shape.n, alpha, beta };
                trials.push(compare(gemv, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(gemv: Gemv<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Gemv { trans, m, n, alpha, beta } = gemv;
    let (rows, cols) = trans.stored(m, n);
    let a = Guarded::random(m, n, random);
    let x = Guarded::random(cols, 1, random);
    let before =
        if beta == T::ZERO { Guarded::nan(rows, 1) } else { Guarded::random(rows, 1, random) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    gemv.compute(blas, a.read(), x.read(), got.write());
    gemv.reference(a.read(), x.read(), expected.write());
    // As for a matrix product.
    let terms = alpha.size() * cols as f64 + beta.size();
    let tolerance = (cols as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{gemv:?}"), error, tolerance }
}
