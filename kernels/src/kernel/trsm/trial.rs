//! Trials of the triangular solve.

use super::Trsm;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, triangles};
use crate::kernel::triangular;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let (Shape { m, n, .. }, alpha) = (shape, T::from_f64(-0.75));
        let mut trials = Vec::new();
        for (side, uplo, trans, diag) in triangles() {
            let ld = triangular::order(side, m, n);
            trials.push(compare(Trsm { side, uplo, trans, diag, m, n, ld, alpha }, blas, random));
        }
        trials
    }
}

fn compare<T: Scalar>(trsm: Trsm<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let t = Guarded::triangle(trsm.order(), trsm.uplo, trsm.diag, random);
    let compute = |b: TileMut<'_, T>| trsm.compute(blas, t.read(), b);
    judge(format!("{trsm:?}"), trsm, t.read(), compute, random)
}

/// Compares what `compute` does to `B` with the reference of `trsm`.
pub(super) fn judge<T: Scalar>(
    case: String,
    trsm: Trsm<T>,
    t: TileRef<'_, T>,
    compute: impl Fn(TileMut<'_, T>),
    random: &mut RandomInputs,
) -> Trial {
    let before = Guarded::random(trsm.m, trsm.n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    compute(got.write());
    trsm.reference(t, expected.write());
    // Each solution is good to (n + 2) u cond(T) in the maximum norm (Higham, "Accuracy and
    // stability", theorem 8.5), and cond(T) is at most 3 for a dominant triangle.
    let tolerance = 3.0 * (trsm.order() as f64 + 2.0) * T::epsilon() * expected.max();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case, error, tolerance }
}
