//! Trials of the factorization of panels.

use std::marker::PhantomData;

use super::Geqrt;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::panels::panel;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Storev;
use crate::scalar::{Real, Scalar};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let geqrt = Geqrt { storev, m, n, offset, scalar: PhantomData };
                trials.push(compare(geqrt, blas, random));
                trials.push(scaled(geqrt, blas, random));
            }
        }
        trials
    }
}

/// What rounding explains of a well-conditioned matrix with entries up to 3: each entry is a sum
/// over a column, and passes through as many reflections as there are columns.
fn tolerance<T: Scalar>(geqrt: Geqrt<T>) -> f64 {
    20.0 * (geqrt.m + geqrt.n + 2) as f64 * T::epsilon()
}

fn compare<T: Scalar>(geqrt: Geqrt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let before = panel(geqrt, random);
    let k = geqrt.count();
    let (tau, t) = (Guarded::nan(k, 1), Guarded::nan(k, k));
    let mut got = (before.clone(), tau.clone(), t.clone());
    let mut expected = got.clone();
    geqrt.compute(blas, got.0.write(), got.1.write(), got.2.write());
    geqrt.reference(expected.0.write(), expected.1.write(), expected.2.write());
    let is_part = |i, j| geqrt.storev.stored(i, j).0 >= geqrt.offset;
    let errors = [
        got.0.deviation(&before, &expected.0, is_part),
        got.1.deviation(&tau, &expected.1, |_, _| true),
        got.2.deviation(&t, &expected.2, |_, _| true),
    ];
    // The sum, so that a NaN shows.
    Trial { case: format!("{geqrt:?}"), error: errors.iter().sum(), tolerance: tolerance(geqrt) }
}

/// A matrix whose squares underflow, and one whose squares overflow, have the reflectors of the
/// matrix that they are multiples of.
fn scaled<T: Scalar>(geqrt: Geqrt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let before = panel(geqrt, random);
    let k = geqrt.count();
    let factors = |scale: T::Real| {
        let (mut a, mut tau, mut t) = (before.clone(), Guarded::nan(k, 1), Guarded::nan(k, k));
        a.write().apply(|x| x.times_real(scale));
        geqrt.compute(blas, a.write(), tau.write(), t.write());
        tau
    };
    let none = Guarded::nan(k, 1);
    let plain = factors(T::Real::ONE);
    // Powers of two: the largest of which a matrix times 8 n is finite, and far above the smallest.
    let tiny = T::Real::MIN_POSITIVE / T::Real::EPSILON;
    let huge = T::Real::EPSILON / T::Real::MIN_POSITIVE;
    let errors = [tiny, huge].map(|scale| factors(scale).deviation(&none, &plain, |_, _| true));
    let case = format!("{geqrt:?} of tiny and huge numbers");
    Trial { case, error: errors.iter().sum(), tolerance: tolerance(geqrt) }
}
