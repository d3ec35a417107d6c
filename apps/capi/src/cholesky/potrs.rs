//! `xPOTRS`: solves with a Cholesky factor.

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;

use crate::array::{Array, Matrix};
use crate::blas3::triangular::solve as solve_triangle;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::UPLO;

export! {
    "`B = inv(A) B`, with the factor of `A` that `xPOTRF` has left."
    potrs(uplo: Letter, n: Int, nrhs: Int, a: Input, lda: Int, b: Array, ldb: Int) info
        as spotrs_: f32, dpotrs_: f64, cpotrs_: c32, zpotrs_: c64;
}

fn potrs<T: Scalar>(
    uplo: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<i32> {
    let (uplo, n, nrhs) = (uplo.of(1, UPLO)?, n.size(2)?, nrhs.size(3)?);
    let a = a.matrix(n, n, lda.leading(5, n)?);
    let b = b.matrix(n, nrhs, ldb.leading(7, n)?);
    solve(uplo, a, b);
    Ok(0)
}

/// Solves with `L` and then `L^H`, or with `U^H` and then `U`.
pub(crate) fn solve<T: Scalar>(uplo: Uplo, a: Matrix<T>, b: Matrix<T>) {
    if b.rows == 0 || b.cols == 0 {
        return;
    }
    let order = match uplo {
        Uplo::Lower => [Trans::No, Trans::Conj],
        Uplo::Upper => [Trans::Conj, Trans::No],
    };
    for trans in order {
        let triangle = Triangle { side: Side::Left, uplo, trans, diag: Diag::NonUnit };
        solve_triangle(triangle, T::ONE, a, b);
    }
}
