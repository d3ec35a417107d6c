//! Solve with an LU factorisation with partial pivoting: `op(A) X = B`, where `P A = L U`.

use std::marker::PhantomData;

use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::kernel::trsm_column::TrsmColumn;
use tegula_kernels::option::{Diag, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::getrf::Pivots;

/// Submits the solve with the factors that [`getrf`](crate::getrf) left in `lu` and `pivots`; `b`,
/// in columns of blocks as well, is overwritten by `X`.
///
/// A singular matrix gives infinities: ask [`Pivots::singular`] first.
///
/// # Panics
/// If `lu` is not square, `b` has another number of rows, or they are not in columns of blocks.
pub fn getrs<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    lu: &TileMatrix<T>,
    pivots: &Pivots,
    b: &TileMatrix<T>,
) {
    let (m, n, rows) = (lu.m(), lu.n(), b.m());
    assert!(m == n && n == rows, "factors of {m} x {n} against {rows} rows");
    assert!(lu.mt() <= 1 && b.mt() <= 1, "{} and {} rows of tiles", lu.mt(), b.mt());
    let (lower, upper) = ((Uplo::Lower, Diag::Unit), (Uplo::Upper, Diag::NonUnit));
    if trans.swaps() {
        solve(flow, upper, trans, lu, b);
        solve(flow, lower, trans, lu, b);
        laswp(flow, pivots, true, b);
    } else {
        laswp(flow, pivots, false, b);
        solve(flow, lower, trans, lu, b);
        solve(flow, upper, trans, lu, b);
    }
}

/// Submits the solve with one triangle of `t`.
pub(crate) fn solve<T: Scalar>(
    flow: &mut Flow,
    (uplo, diag): (Uplo, Diag),
    trans: Trans,
    t: &TileMatrix<T>,
    b: &TileMatrix<T>,
) {
    let (m, steps, ascends) = (t.m(), t.nt(), (uplo == Uplo::Lower) != trans.swaps());
    for step in 0..steps {
        flow.iteration(step);
        let l = if ascends { step } else { steps - 1 - step };
        for j in 0..b.nt() {
            let (n, k, first) = (b.tile_columns(j), t.tile_columns(l), l * t.nb());
            let column = TrsmColumn::<T> { uplo, trans, diag, m, n, k, first, scalar: PhantomData };
            let priority = (steps - step) as i32;
            flow.submit(column, &[(t.tile(0, l), R), (b.tile(0, j), RW)], priority);
        }
    }
}

/// Submits the exchanges of the rows of `b`, in columns of blocks, that [`getrf`](crate::getrf)
/// made of its matrix: `B = P B`; or `backward` what undoes them, `B = P' B`.
///
/// # Panics
/// If `b` is not in columns of blocks, or has fewer rows than there are pivots.
pub fn laswp<T: Scalar>(flow: &mut Flow, pivots: &Pivots, backward: bool, b: &TileMatrix<T>) {
    let steps = pivots.steps;
    assert!(b.mt() <= 1, "{} rows of tiles: exchanges take whole columns", b.mt());
    assert!(steps <= b.m(), "{steps} exchanges among {} rows", b.m());
    for j in (0..b.nt()).filter(|_| steps > 0) {
        let (m, n) = (b.m(), b.tile_columns(j));
        let exchange = Laswp::<T> { m, n, first: 0, backward, scalar: PhantomData };
        flow.submit(exchange, &[(pivots.all, R), (b.tile(0, j), RW)], 1);
    }
}
