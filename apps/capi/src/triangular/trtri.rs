//! `xTRTRI`: the inverse of a triangular matrix.

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::trtri::Trtri;
use tegula_kernels::option::{Diag, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{DIAG, UPLO};
use crate::run::{blas, in_tiles, info, is_small, product, tile};

export! {
    "The inverse of a triangular matrix, in place."
    trtri(uplo: Letter, diag: Letter, n: Int, a: Array, lda: Int) info
        as strtri_: f32, dtrtri_: f64, ctrtri_: c32, ztrtri_: c64;
}

fn trtri<T: Scalar>(uplo: Letter, diag: Letter, n: i32, a: Array<T>, lda: i32) -> Checked<i32> {
    let (uplo, diag, n) = (uplo.of(1, UPLO)?, diag.of(2, DIAG)?, n.size(3)?);
    Ok(info(invert(diag, a.lower(uplo, n, lda.leading(5, n)?))))
}

/// The inverse in place of the lower triangle, which is left alone if it has none.
pub(crate) fn invert<T: Scalar>(diag: Diag, a: Matrix<T>) -> Result<(), NumericalError> {
    let n = a.rows;
    if is_small::<T>(product([n, n, n]) / 6.0) {
        return Trtri::new(Uplo::Lower, diag, n, 0).compute(blas(), a.view_mut());
    }
    if diag == Diag::NonUnit {
        check_diagonal(a)?;
    }
    in_tiles([a.lower_in_tiles(tile(n))], |flow, [a]| linalg::trtri(flow, Uplo::Lower, diag, a))
}

/// The failure that a zero on the diagonal is.
pub(crate) fn check_diagonal<T: Scalar>(a: Matrix<T>) -> Result<(), NumericalError> {
    let entries = a.view();
    let zero = (0..a.rows).find(|&i| entries.at(i, i) == T::ZERO);
    zero.map_or(Ok(()), |i| Err(NumericalError::SingularTriangle { index: i + 1 }))
}
