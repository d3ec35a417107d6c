//! Trials of the symmetric product.

use super::Syrk;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Uplo::ALL.map(|uplo| Trans::ALL.map(|trans| (form, uplo, trans))));
        for (form, uplo, trans) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                let syrk = Syrk { form, uplo, trans, n: shape.n, k: shape.k, alpha, beta };
                trials.push(compare(syrk, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(syrk: Syrk<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let (rows, cols) = syrk.trans.stored(syrk.n, syrk.k);
    let a = Guarded::random(rows, cols, random);
    let compute = |c: TileMut<'_, T>| syrk.compute(blas, a.read(), c);
    judge(format!("{syrk:?}"), syrk, a.read(), compute, random)
}

/// Compares what `compute` does to `C` with the reference of `syrk`.
pub(super) fn judge<T: Scalar>(
    case: String,
    syrk: Syrk<T>,
    a: TileRef<'_, T>,
    compute: impl Fn(TileMut<'_, T>),
    random: &mut RandomInputs,
) -> Trial {
    let Syrk { uplo, n, k, alpha, beta, .. } = syrk;
    let mut before =
        if beta == T::ZERO { Guarded::nan(n, n) } else { Guarded::random(n, n, random) };
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    compute(got.write());
    syrk.reference(a, expected.write());
    // As for a matrix product.
    let terms = alpha.size() * k as f64 + beta.size();
    let tolerance = (k as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case, error, tolerance }
}
