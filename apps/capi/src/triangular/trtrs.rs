//! `xTRTRS`: solves with a triangular matrix that is checked first.

use tegula_kernels::option::{Diag, Side};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;

use crate::array::Array;
use crate::blas3::triangular::solve;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{DIAG, TRANS, UPLO};
use crate::run::info;
use crate::triangular::trtri::check_diagonal;

export! {
    "`B = inv(op(A)) B`, with a triangular matrix `A`, if none of its diagonal entries is zero."
    trtrs(
        uplo: Letter, trans: Letter, diag: Letter, n: Int, nrhs: Int, a: Input, lda: Int, b: Array,
        ldb: Int
    ) info as strtrs_: f32, dtrtrs_: f64, ctrtrs_: c32, ztrtrs_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn trtrs<T: Scalar>(
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<i32> {
    let (uplo, trans, diag) = (uplo.of(1, UPLO)?, trans.of(2, TRANS)?, diag.of(3, DIAG)?);
    let (n, nrhs) = (n.size(4)?, nrhs.size(5)?);
    let a = a.matrix(n, n, lda.leading(7, n)?);
    let b = b.matrix(n, nrhs, ldb.leading(9, n)?);
    let outcome = if diag == Diag::NonUnit { check_diagonal(a) } else { Ok(()) };
    if outcome.is_ok() && n > 0 && nrhs > 0 {
        solve(Triangle { side: Side::Left, uplo, trans, diag }, T::ONE, a, b);
    }
    Ok(info(outcome))
}
