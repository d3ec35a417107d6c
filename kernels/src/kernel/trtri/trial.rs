//! Trials of the triangular inverse.

use super::Trtri;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for uplo in Uplo::ALL {
            for diag in Diag::ALL {
                let trtri = Trtri::new(uplo, diag, shape.n, 1000);
                trials.push(compare(trtri, blas, random));
            }
            trials.extend(refusal(Trtri::new(uplo, Diag::NonUnit, shape.n, 1000), blas, random));
        }
        trials
    }
}

fn compare<T: Scalar>(trtri: Trtri<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Trtri { uplo, diag, n, .. } = trtri;
    let before = Guarded::triangle(n, uplo, diag, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let outcomes = (trtri.compute(blas, got.write()), trtri.reference(expected.write()));
    // Each inverse is good to c n u |inv(T)| |T| |inv(T)| (Higham, "Accuracy and stability", 14.2),
    // with c = 2 for two solves in turn; the product is at most 3 * 2 in the maximum norm for a
    // dominant triangle.
    let tolerance = 12.0 * (n as f64 + 2.0) * T::epsilon();
    let written = |i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit);
    let error = match outcomes {
        (Ok(()), Ok(())) => got.deviation(&before, &expected, written),
        _ => f64::INFINITY,
    };
    Trial { case: format!("{trtri:?}"), error, tolerance }
}

/// A zero on the diagonal must be told and the tile left unchanged.
fn refusal<T: Scalar>(
    trtri: Trtri<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Option<Trial> {
    let place = trtri.n.checked_sub(1)?;
    let mut before = Guarded::triangle(trtri.n, trtri.uplo, trtri.diag, random);
    before.put(place, place, T::ZERO);
    let mut got = before.clone();
    let outcome = trtri.compute(blas, got.write());
    let told = outcome == Err(NumericalError::SingularTriangle { index: 1001 + place });
    let unchanged = got.spared(&before, |_, _| false);
    let case = format!("{trtri:?} with a zero at {place} gives {outcome:?}");
    Some(Trial::exact(case, told && unchanged))
}
