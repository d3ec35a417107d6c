//! Trials of norms.

use std::marker::PhantomData;

use super::list_entry::ListEntry;
use super::{Norm, NormFold, NormShare, frobenius};
use crate::backend::Blas;
use crate::kernel::pack::{Structure, structures};
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Diag;
use crate::scalar::{Real, Scalar};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let mut trials = Vec::new();
        for norm in Norm::ALL {
            for structure in structures().chain([Structure::General]) {
                let is_symmetric = matches!(structure, Structure::Symmetric(..));
                let m = if is_symmetric { shape.n } else { shape.m };
                let (n, twice, scalar) = (shape.n, structure == Structure::General, PhantomData);
                let share = NormShare { norm, structure, twice, m, n, scalar };
                for size in [1.0, 1e30, 1e-30] {
                    trials.push(compare::<T>(share, size, random));
                }
                trials.extend(spoiled::<T>(share, random));
            }
        }
        trials
    }
}

/// The norm of one tile by a share and a fold.
fn norm<T: Scalar>(share: NormShare<T>, a: &Guarded<T>) -> f64 {
    let NormShare { norm, m, n, .. } = share;
    let (mut numbers, mut result) = ([T::Real::ZERO; 0].to_vec(), [T::Real::ZERO; 2]);
    numbers.resize(norm.share(m, n), T::Real::ZERO);
    let result = &mut result[..norm.share(1, 1)];
    share.compute(a.read(), &mut numbers);
    NormFold::<T> { norm, length: numbers.len(), scalar: PhantomData }.compute(&numbers, result);
    value(norm, result)
}

/// A matrix of entries of about `size`, NaN where the structure does not read.
fn matrix<T: Scalar>(share: NormShare<T>, size: f64, random: &mut RandomInputs) -> Guarded<T> {
    let NormShare { structure, m, n, .. } = share;
    let entries: Vec<T> = random.numbers(m * n);
    let entries: Vec<T> = entries.into_iter().map(|x| x * T::from_f64(size)).collect();
    let mut a = Guarded::new(m, n, &entries);
    a.keep(|i, j| match structure {
        Structure::General => true,
        Structure::Symmetric(_, uplo) => uplo.holds(i, j),
        Structure::Triangular(uplo, diag) => uplo.holds(i, j) && (i != j || diag == Diag::NonUnit),
    });
    a
}

fn compare<T: Scalar>(share: NormShare<T>, size: f64, random: &mut RandomInputs) -> Trial {
    let a = matrix(share, size, random);
    let (got, expected) = (norm(share, &a), share.reference(a.read()));
    // Sums of m n positive terms at most, each with a few roundings.
    let terms = (share.m * share.n) as f64 + 4.0;
    let tolerance = terms * T::epsilon() * expected;
    let case = format!("{share:?} of size {size}: {got} against {expected}");
    Trial { case, error: (got - expected).abs(), tolerance }
}

/// A NaN that is read shows, and an infinity without one.
fn spoiled<T: Scalar>(share: NormShare<T>, random: &mut RandomInputs) -> Vec<Trial> {
    let mut a = matrix(share, 1.0, random);
    let mut place = (0..share.n).flat_map(|j| (0..share.m).map(move |i| (i, j)));
    let readable = |&(i, j): &(usize, usize)| a.read().at(i, j).is_finite();
    let Some((i, j)) = place.rfind(readable) else { return Vec::new() };
    a.put(i, j, T::from_f64(f64::INFINITY));
    let infinite = norm(share, &a);
    a.put(i, j, T::NAN);
    let nan = norm(share, &a);
    let case = |what: &str, got: f64| format!("{share:?} with {what} at ({i}, {j}): {got}");
    vec![
        Trial::exact(case("infinity", infinite), infinite == f64::INFINITY),
        Trial::exact(case("NaN", nan), nan.is_nan()),
    ]
}

/// The norm that a result of [`NormFold`] says, in double precision.
fn value<R: Real>(norm: Norm, result: &[R]) -> f64 {
    match norm {
        Norm::Frobenius => frobenius(result).to_f64(),
        _ => result[0].to_f64(),
    }
}
