//! Solution of linear equations by LU factorisation with partial pivoting, `A X = B`.

use tegula_data::matrix::TileMatrix;
use tegula_kernels::option::{Diag, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::getrf::{Pivots, factorise};
use crate::getrs::solve;

/// Submits the solution of `A X = B`: LAPACK's `gesv`. `a`, in columns of blocks, is overwritten by its
/// factors, as [`getrf`](crate::getrf) leaves them, and `b`, in columns of blocks as well, by `X`.
///
/// The right-hand sides go along with the factorisation, like columns of the matrix: only the upper
/// triangle is solved with afterwards. A singular matrix gives infinities: see [`Pivots::singular`].
///
/// # Panics
/// If `a` is not square, `b` has another number of rows, or they are not in columns of blocks.
pub fn gesv<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, pivots: &Pivots, b: &TileMatrix<T>) {
    let (m, n, rows) = (a.m(), a.n(), b.m());
    assert!(m == n && n == rows, "a matrix of {m} x {n} against {rows} rows");
    assert!(b.mt() <= 1, "{} rows of tiles", b.mt());
    factorise(flow, a, pivots, Some(b));
    solve(flow, (Uplo::Upper, Diag::NonUnit), Trans::No, a, b);
}
