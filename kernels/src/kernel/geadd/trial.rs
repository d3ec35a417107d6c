//! Trials of the sum of matrices.

use super::Geadd;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let mut trials = Vec::new();
        for trans in Trans::ALL {
            for (alpha, beta) in [(1.0, 0.0), (1.0, 1.0), (-0.75, 1.5)] {
                let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
                let geadd = Geadd { trans, m: shape.m, n: shape.n, alpha, beta };
                trials.push(compare(geadd, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(geadd: Geadd<T>, random: &mut RandomInputs) -> Trial {
    let Geadd { trans, m, n, alpha, beta } = geadd;
    let (rows, cols) = trans.stored(m, n);
    let a = Guarded::random(rows, cols, random);
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, random) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    geadd.compute(a.read(), got.write());
    geadd.reference(a.read(), expected.write());
    // Two products and a sum, rounded once each, on both sides.
    let terms = alpha.size() + beta.size();
    let tolerance = 2.0 * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{geadd:?}"), error, tolerance }
}
