//! Solution of linear equations by LU factorisation with partial pivoting, `A X = B`.

use std::ops::Range;

use tegula_kernels::option::{Diag, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::getrf::{Pivots, factorise};
use crate::getrs::solve;

/// Submits the solution of `A X = B`: LAPACK's `gesv`. `a`, in columns of blocks, is overwritten by
/// its factors, as [`getrf`](crate::getrf) leaves them, and `b`, in columns of blocks as well, by
/// `X`.
///
/// The right-hand sides go along with the factorisation, like columns of the matrix: only the upper
/// triangle is solved with afterwards. A singular matrix gives infinities: see
/// [`Pivots::singular`].
///
/// # Panics
/// If `a` is not square, `b` has another number of rows, or they are not in columns of blocks.
pub fn gesv<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, pivots: &Pivots, b: &TileMatrix<T>) {
    gesv_steps(flow, a, pivots, b, 0..a.nt());
}

/// Submits these steps of the factorisation in [`gesv`], one for each panel, after those before;
/// with the last, the solve with the upper triangle. Between steps all that is needed further on is
/// in `a`, `pivots` and `b`.
///
/// # Panics
/// As [`gesv`], or if there are no such steps.
pub fn gesv_steps<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    pivots: &Pivots,
    b: &TileMatrix<T>,
    steps: Range<usize>,
) {
    let (m, n, rows) = (a.m(), a.n(), b.m());
    assert!(m == n && n == rows, "a matrix of {m} x {n} against {rows} rows");
    assert!(b.mt() <= 1, "{} rows of tiles", b.mt());
    let is_last = steps.end == a.nt();
    factorise(flow, a, pivots, Some(b), steps);
    if is_last {
        solve(flow, (Uplo::Upper, Diag::NonUnit), Trans::No, a, b);
    }
}
