//! `xPOTRF`: the Cholesky factorisation.

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::UPLO;
use crate::run::{blas, in_tiles, info, is_small, product, tile};

export! {
    "`A = L L^H` or `A = U^H U`, of a positive definite matrix."
    potrf(uplo: Letter, n: Int, a: Array, lda: Int) info
        as spotrf_: f32, dpotrf_: f64, cpotrf_: c32, zpotrf_: c64;

    "The same as `xPOTRF`."
    potrf(uplo: Letter, n: Int, a: Array, lda: Int) info
        as spotrf2_: f32, dpotrf2_: f64, cpotrf2_: c32, zpotrf2_: c64;

    "The same as `xPOTRF`."
    potrf(uplo: Letter, n: Int, a: Array, lda: Int) info
        as spotf2_: f32, dpotf2_: f64, cpotf2_: c32, zpotf2_: c64;
}

fn potrf<T: Scalar>(uplo: Letter, n: i32, a: Array<T>, lda: i32) -> Checked<i32> {
    let (uplo, n) = (uplo.of(1, UPLO)?, n.size(2)?);
    let a = a.lower(uplo, n, lda.leading(4, n)?);
    Ok(info(factorise(a)))
}

/// Factorises the matrix of which `a` is the lower triangle. The upper triangle of a Hermitian
/// matrix is the lower one of its transpose, whose factor is the transpose of `U`.
pub(crate) fn factorise<T: Scalar>(a: Matrix<T>) -> Result<(), NumericalError> {
    let n = a.rows;
    if is_small::<T>(product([n, n, n]) / 6.0) {
        return Potrf::new(Uplo::Lower, n, 0).compute(blas(), a.view_mut());
    }
    in_tiles([a.lower_in_tiles(tile(n))], |flow, [a]| linalg::potrf(flow, a))
}
