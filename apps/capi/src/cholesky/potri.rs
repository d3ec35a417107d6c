//! `xPOTRI`: the inverse of a positive definite matrix from its Cholesky factor.

use tegula_kernels::option::Diag;
use tegula_kernels::scalar::{Scalar, c32, c64};

use crate::array::Array;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::UPLO;
use crate::run::info;
use crate::triangular::{lauum, trtri};

export! {
    "A triangle of `inv(A)` in place of the factor of `A` that `xPOTRF` has left."
    potri(uplo: Letter, n: Int, a: Array, lda: Int) info
        as spotri_: f32, dpotri_: f64, cpotri_: c32, zpotri_: c64;
}

fn potri<T: Scalar>(uplo: Letter, n: i32, a: Array<T>, lda: i32) -> Checked<i32> {
    let (uplo, n) = (uplo.of(1, UPLO)?, n.size(2)?);
    let a = a.lower(uplo, n, lda.leading(4, n)?);
    let outcome = trtri::invert(Diag::NonUnit, a);
    if outcome.is_ok() {
        lauum::multiply(a);
    }
    Ok(info(outcome))
}
