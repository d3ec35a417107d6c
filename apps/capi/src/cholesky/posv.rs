//! `xPOSV`: solves with a positive definite matrix.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{potrf, potrs};
use crate::array::Array;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::UPLO;
use crate::run::info;

export! {
    "`B = inv(A) B`, with a positive definite matrix `A`, which is factorised."
    posv(uplo: Letter, n: Int, nrhs: Int, a: Array, lda: Int, b: Array, ldb: Int) info
        as sposv_: f32, dposv_: f64, cposv_: c32, zposv_: c64;
}

fn posv<T: Scalar>(
    uplo: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<i32> {
    let (uplo, n, nrhs) = (uplo.of(1, UPLO)?, n.size(2)?, nrhs.size(3)?);
    let lda = lda.leading(5, n)?;
    let b = b.matrix(n, nrhs, ldb.leading(7, n)?);
    let outcome = potrf::factorise(a.lower(uplo, n, lda));
    if outcome.is_ok() {
        potrs::solve(uplo, a.matrix(n, n, lda), b);
    }
    Ok(info(outcome))
}
