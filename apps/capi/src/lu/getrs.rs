//! `xGETRS`: solves with the factors of a general matrix.

use std::marker::PhantomData;

use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;

use crate::array::{Array, Matrix};
use crate::blas3::triangular::solve as solve_triangle;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::TRANS;

export! {
    "`B = inv(op(A)) B`, with the factors of `A` that `xGETRF` has left."
    getrs(
        trans: Letter, n: Int, nrhs: Int, a: Input, lda: Int, ipiv: InputInts, b: Array, ldb: Int
    ) info as sgetrs_: f32, dgetrs_: f64, cgetrs_: c32, zgetrs_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn getrs<T: Scalar>(
    trans: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    ipiv: Array<i32>,
    b: Array<T>,
    ldb: i32,
) -> Checked<i32> {
    let (trans, n, nrhs) = (trans.of(1, TRANS)?, n.size(2)?, nrhs.size(3)?);
    let a = a.matrix(n, n, lda.leading(5, n)?);
    let b = b.matrix(n, nrhs, ldb.leading(8, n)?);
    solve(trans, a, ipiv, b);
    Ok(0)
}

/// Exchanges rows and solves with `L` and `U`, or with `op(U)` and `op(L)` and exchanges them back.
pub(crate) fn solve<T: Scalar>(trans: Trans, a: Matrix<T>, ipiv: Array<i32>, b: Matrix<T>) {
    let (m, n) = (b.rows, b.cols);
    if m == 0 || n == 0 {
        return;
    }
    let rows: Vec<u32> = (0..m).map(|i| ipiv.get(i).cast_unsigned().wrapping_sub(1)).collect();
    let exchange = |backward| {
        let laswp = Laswp { m, n, first: 0, backward, scalar: PhantomData::<T> };
        laswp.compute(&rows, b.view_mut());
    };
    let side = Side::Left;
    let lower = Triangle { side, uplo: Uplo::Lower, trans, diag: Diag::Unit };
    let upper = Triangle { side, uplo: Uplo::Upper, trans, diag: Diag::NonUnit };
    if trans.swaps() {
        solve_triangle(upper, T::ONE, a, b);
        solve_triangle(lower, T::ONE, a, b);
        exchange(true);
    } else {
        exchange(false);
        solve_triangle(lower, T::ONE, a, b);
        solve_triangle(upper, T::ONE, a, b);
    }
}
