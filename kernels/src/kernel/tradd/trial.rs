//! Trials of the sum of parts.

use super::Tradd;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Part, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for (part, trans) in Part::ALL.into_iter().flat_map(|p| Trans::ALL.map(|t| (p, t))) {
            for (alpha, beta) in [(1.0, 0.0), (0.0, 0.5), (-0.75, 1.5)] {
                let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
                trials.push(compare(Tradd { part, trans, m, n, alpha, beta }, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(tradd: Tradd<T>, random: &mut RandomInputs) -> Trial {
    let Tradd { part, trans, m, n, alpha, beta } = tradd;
    let (rows, cols) = trans.stored(m, n);
    let drawn = Guarded::random(rows, cols, random);
    let mut a = if alpha == T::ZERO { Guarded::nan(rows, cols) } else { drawn };
    a.keep(|i, j| if trans.swaps() { part.holds(j, i) } else { part.holds(i, j) });
    let drawn = Guarded::random(m, n, random);
    let mut before = if beta == T::ZERO { Guarded::nan(m, n) } else { drawn };
    before.keep(|i, j| part.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    tradd.compute(a.read(), got.write());
    tradd.reference(a.read(), expected.write());
    // Two products and a sum, rounded once each, on both sides; entries of at most root 2.
    let tolerance = 4.0 * T::epsilon() * (alpha.size() + beta.size());
    let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
    Trial { case: format!("{tradd:?}"), error, tolerance }
}
