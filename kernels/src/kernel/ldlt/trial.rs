//! Trials of the factorisation.

use super::Ldlt;
use super::list_entry::{ListEntry, typical};
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Diag, Form, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (form, uplo) in Form::ALL.into_iter().flat_map(|f| Uplo::ALL.map(|u| (f, u))) {
            let ldlt = Ldlt { form, uplo, ..typical(shape.n) };
            trials.push(compare(ldlt, blas, random));
            trials.extend(refusal(ldlt, blas, random));
        }
        trials
    }
}

fn compare<T: Scalar>(ldlt: Ldlt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Ldlt { uplo, n, .. } = ldlt;
    let before = Guarded::triangle(n, uplo, Diag::NonUnit, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let outcomes = (ldlt.compute(blas, got.write()), ldlt.reference(expected.write()));
    // Rows beside the diagonal add up to 1/2 at most, pivots stay above 3/2: sums of n terms, of
    // which errors are not magnified (Higham, "Accuracy and stability", 9.5).
    let tolerance = 8.0 * (n as f64 + 2.0) * T::epsilon();
    let error = match outcomes {
        (Ok(()), Ok(())) => got.deviation(&before, &expected, |i, j| uplo.holds(i, j)),
        _ => f64::INFINITY,
    };
    Trial { case: format!("{ldlt:?}"), error, tolerance }
}

/// A zero pivot is told, with its place.
fn refusal<T: Scalar>(
    ldlt: Ldlt<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Option<Trial> {
    let place = ldlt.n.checked_sub(1)? / 2;
    let mut a = Guarded::triangle(ldlt.n, ldlt.uplo, Diag::NonUnit, random);
    for k in 0..ldlt.n {
        let (i, j) = if ldlt.uplo == Uplo::Lower { (place, k) } else { (k, place) };
        if ldlt.uplo.holds(i, j) {
            a.put(i, j, T::ZERO);
        }
    }
    let outcome = ldlt.compute(blas, a.write());
    let told = outcome == Err(NumericalError::SingularPivot { index: 1001 + place });
    Some(Trial::exact(format!("{ldlt:?} with a zero row at {place} gives {outcome:?}"), told))
}
