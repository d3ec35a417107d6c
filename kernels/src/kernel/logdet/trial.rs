//! Trials of the log-determinant.

use super::LogDet;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Real;

impl<T: Real> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let n = shape.n;
        let mut trials = vec![
            compare(LogDet::<T>::cholesky(n, 1000), random),
            compare(LogDet::<T>::lu(n, 1000), random),
        ];
        for place in [0, n / 2, n.saturating_sub(1)] {
            for entry in [0.0, f64::NAN, f64::INFINITY] {
                trials.extend(refusal(
                    LogDet::cholesky(n, 1000),
                    place,
                    T::from_f64(entry),
                    random,
                ));
            }
        }
        trials
    }
}

/// A diagonal of both signs and of sizes from 2^-60 to 2^60; the rest is not readable.
fn diagonal<T: Real>(n: usize, random: &mut RandomInputs) -> Guarded<T> {
    let mut a = Guarded::nan(n, n);
    for i in 0..n {
        let size = 2f64.powf(60.0 * random.number::<f64>());
        a.put(i, i, T::from_f64(size.copysign(random.number::<f64>())));
    }
    a
}

fn compare<T: Real>(logdet: LogDet<T>, random: &mut RandomInputs) -> Trial {
    let a = diagonal::<T>(logdet.n, random);
    let (mut got, mut expected) = (0.25, 0.25);
    let outcomes = (logdet.compute(a.read(), &mut got), logdet.reference(a.read(), &mut expected));
    // Two sums of n + 1 terms of at most 61 log 2, the terms good to 32 units in the last place.
    let terms = logdet.factor * 61.0 * std::f64::consts::LN_2 * logdet.n as f64 + 0.25;
    let tolerance = (logdet.n as f64 + 34.0) * f64::EPSILON * terms;
    let error = match outcomes {
        (Ok(()), Ok(())) => (got - expected).abs(),
        _ => f64::INFINITY,
    };
    Trial { case: format!("{logdet:?}"), error, tolerance }
}

/// An entry without a logarithm must be told and the sum left unchanged.
fn refusal<T: Real>(
    logdet: LogDet<T>,
    place: usize,
    entry: T,
    random: &mut RandomInputs,
) -> Option<Trial> {
    if place >= logdet.n {
        return None;
    }
    let mut a = diagonal::<T>(logdet.n, random);
    a.put(place, place, entry);
    let mut sum = 0.25;
    let outcome = logdet.compute(a.read(), &mut sum);
    let told = outcome == Err(NumericalError::NoLogDeterminant { index: 1001 + place });
    let case = format!("{logdet:?} with {entry} at {place} gives {outcome:?}, sum {sum}");
    Some(Trial::exact(case, told && sum == 0.25))
}
