//! Trials of the scaling.

use super::Lascal;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Part;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for part in Part::ALL {
            for alpha in [0.0, 1.0, -0.75] {
                let alpha = T::from_f64(alpha);
                trials.push(compare(Lascal { part, m, n, alpha }, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(lascal: Lascal<T>, random: &mut RandomInputs) -> Trial {
    let Lascal { part, m, n, alpha } = lascal;
    let drawn = Guarded::random(m, n, random);
    let mut before = if alpha == T::ZERO { Guarded::nan(m, n) } else { drawn };
    before.keep(|i, j| part.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    lascal.compute(got.write());
    lascal.reference(expected.write());
    let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
    Trial { case: format!("{lascal:?}"), error, tolerance: 0.0 }
}
