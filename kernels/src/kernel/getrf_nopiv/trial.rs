//! Trials of the LU factorization.

use super::GetrfNopiv;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let (Shape { m, n, .. }, steps) = (shape, shape.m.min(shape.n));
        let getrf = GetrfNopiv::new(m, n, 1000);
        let mut trials = vec![compare(getrf, blas, random)];
        for place in [0, steps / 2, steps.saturating_sub(1)] {
            for pivot in [0.0, f64::NAN, f64::INFINITY] {
                trials.extend(refusal(getrf, blas, place, T::from_f64(pivot), random));
            }
        }
        trials
    }
}

/// A dominant matrix, square or the first rows or columns of one.
fn matrix<T: Scalar>(getrf: GetrfNopiv<T>, random: &mut RandomInputs) -> Guarded<T> {
    let order = getrf.m.max(getrf.n);
    let square = random.dominant::<T>(order);
    let entries: Vec<T> =
        (0..getrf.n).flat_map(|j| square[j * order..][..getrf.m].iter().copied()).collect();
    Guarded::new(getrf.m, getrf.n, &entries)
}

fn compare<T: Scalar>(
    getrf: GetrfNopiv<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let before = matrix(getrf, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let outcomes = (getrf.compute(blas, got.write()), getrf.reference(expected.write()));
    // Each pair of factors is that of A + E with |E| <= n u |L| |U| (Higham, "Accuracy and
    // stability", theorem 9.3), so L is off by L low(inv(L) E inv(U)) and U by the upper part
    // times U. For a dominant matrix the maximum norms of L, inv(L), inv(U), U are at most 3/2, 2,
    // 1, 4 and entries of |L| |U| at most 5.
    let steps = getrf.m.min(getrf.n) as f64 + 2.0;
    let tolerance = 40.0 * steps * T::epsilon();
    let error = match outcomes {
        (Ok(()), Ok(())) => got.deviation(&before, &expected, |_, _| true),
        _ => f64::INFINITY,
    };
    Trial { case: format!("{getrf:?}"), error, tolerance }
}

/// The pivot at `place` is made zero (through its row) or what is not a number: the index must be
/// told.
fn refusal<T: Scalar>(
    getrf: GetrfNopiv<T>,
    blas: &dyn Blas<T>,
    place: usize,
    pivot: T,
    random: &mut RandomInputs,
) -> Option<Trial> {
    if place >= getrf.m.min(getrf.n) {
        return None;
    }
    let mut got = matrix(getrf, random);
    if pivot == T::ZERO {
        (0..=place).for_each(|j| got.put(place, j, T::ZERO));
    }
    got.put(place, place, pivot);
    let outcome = getrf.compute(blas, got.write());
    let told = outcome == Err(NumericalError::SingularPivot { index: 1001 + place });
    let case = format!("{getrf:?} with {pivot} at {place} gives {outcome:?}");
    Some(Trial::exact(case, told))
}
