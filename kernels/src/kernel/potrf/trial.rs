//! Trials of the Cholesky factorization.

use super::Potrf;
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
            let potrf = Potrf::new(uplo, shape.n, 1000);
            trials.push(compare(potrf, blas, random));
            for place in [0, shape.n / 2, shape.n.saturating_sub(1)] {
                for pivot in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
                    trials.extend(refusal(potrf, blas, place, T::from_f64(pivot), random));
                }
            }
        }
        trials
    }
}

/// A dominant symmetric matrix of which one triangle is readable.
fn matrix<T: Scalar>(potrf: Potrf<T>, random: &mut RandomInputs) -> Guarded<T> {
    Guarded::triangle(potrf.n, potrf.uplo, Diag::NonUnit, random)
}

fn compare<T: Scalar>(potrf: Potrf<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let before = matrix(potrf, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let outcomes = (potrf.compute(blas, got.write()), potrf.reference(expected.write()));
    // Each factor is that of A + E with |e_ij| <= (n + 2) u max a_ii (Higham, "Accuracy and
    // stability", theorem 10.3), so it is off by L low(inv(L) E inv(L')), of which no entry exceeds
    // ||L|| ||inv(L)||^2 max |e_ij| in the maximum norm: 3 * 1 * 3 for a dominant matrix.
    let tolerance = 9.0 * (potrf.n as f64 + 2.0) * T::epsilon();
    let error = match outcomes {
        (Ok(()), Ok(())) => got.deviation(&before, &expected, |i, j| potrf.uplo.holds(i, j)),
        _ => f64::INFINITY,
    };
    Trial { case: format!("{potrf:?}"), error, tolerance }
}

/// The diagonal entry at `place` makes the matrix indefinite: the order must be told, and the other
/// triangle left alone.
fn refusal<T: Scalar>(
    potrf: Potrf<T>,
    blas: &dyn Blas<T>,
    place: usize,
    pivot: T,
    random: &mut RandomInputs,
) -> Option<Trial> {
    if place >= potrf.n {
        return None;
    }
    let mut before = matrix(potrf, random);
    before.put(place, place, pivot);
    let mut got = before.clone();
    let outcome = potrf.compute(blas, got.write());
    let told = outcome == Err(NumericalError::NotPositiveDefinite { order: 1001 + place });
    let spared = got.spared(&before, |i, j| potrf.uplo.holds(i, j));
    let case = format!("{potrf:?} with {pivot} at {place} gives {outcome:?}");
    Some(Trial::exact(case, told && spared))
}
