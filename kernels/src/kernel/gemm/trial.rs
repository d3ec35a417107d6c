//! Trials of the matrix product.

use super::Gemm;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for trans_a in Trans::ALL {
            for trans_b in Trans::ALL {
                for [alpha, beta] in coefficients::<T>() {
                    let Shape { m, n, k } = shape;
                    let gemm = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
                    trials.push(compare(gemm, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(gemm: Gemm<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Gemm { trans_a, trans_b, m, n, k, .. } = gemm;
    let ((rows_a, cols_a), (rows_b, cols_b)) = (trans_a.stored(m, k), trans_b.stored(k, n));
    let a = Guarded::random(rows_a, cols_a, random);
    let b = Guarded::random(rows_b, cols_b, random);
    let compute = |c: TileMut<'_, T>| gemm.compute(blas, a.read(), b.read(), c);
    judge(format!("{gemm:?}"), gemm, (a.read(), b.read()), compute, random)
}

/// Compares what `compute` does to `C` with the reference of `gemm`.
pub(super) fn judge<T: Scalar>(
    case: String,
    gemm: Gemm<T>,
    (a, b): (TileRef<'_, T>, TileRef<'_, T>),
    compute: impl Fn(TileMut<'_, T>),
    random: &mut RandomInputs,
) -> Trial {
    let Gemm { m, n, k, alpha, beta, .. } = gemm;
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, random) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    compute(got.write());
    gemm.reference(a, b, expected.write());
    // Two sums of k + 1 terms, each good to (k + 2) u times the sum of the absolute terms
    // (Higham, "Accuracy and stability", 3.1), entries at most 1, u = EPSILON / 2.
    let terms = alpha.size() * k as f64 + beta.size();
    let tolerance = (k as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case, error, tolerance }
}
