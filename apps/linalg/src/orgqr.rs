//! The orthogonal factor of a QR or LQ factorisation, multiplied out in place.

use tegula_kernels::option::{Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::reflectors::Reflectors;

/// Submits the first `n` columns of the factor whose first `tau.m()` reflectors
/// [`geqrf`](crate::geqrf) left in `a` (`m x n`, `n <= m`) and `tau`: `a` is overwritten by them.
/// LAPACK's `orgqr` and `ungqr`.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn orgqr<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, tau: &TileMatrix<T>) {
    form(flow, Storev::Columns, a, tau);
}

/// Submits the first `m` rows of the factor whose first `tau.m()` reflectors
/// [`gelqf`](crate::gelqf) left in `a` (`m x n`, `m <= n`) and `tau`: `a` is overwritten by them.
/// LAPACK's `orglq` and `unglq`.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn orglq<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, tau: &TileMatrix<T>) {
    form(flow, Storev::Rows, a, tau);
}

/// The last block first, since the columns of those after it are those of `H(1) ... H(k)` on the
/// identity: as LAPACK does.
fn form<T: Scalar>(flow: &mut Flow, storev: Storev, a: &TileMatrix<T>, tau: &TileMatrix<T>) {
    let (m, n) = storev.stored(a.m(), a.n());
    assert!(n <= m, "{n} orthogonal vectors of {m} entries");
    let reflectors = Reflectors::new(flow, storev, a, tau);
    let (steps, blocks) = (reflectors.steps(), reflectors.blocks());
    for k in steps..blocks {
        reflectors.form(flow, k, steps as i32);
    }
    for k in (0..steps).rev() {
        flow.iteration(steps - 1 - k);
        reflectors.rebuild(flow, k, 1 + k as i32);
        let factor = reflectors.factor(flow, k, blocks - k - 1, 1 + k as i32);
        for j in k + 1..blocks {
            factor.update(flow, (j, Trans::No), k as i32);
        }
        factor.retire(flow);
        reflectors.form(flow, k, k as i32);
    }
    reflectors.retire(flow);
}
