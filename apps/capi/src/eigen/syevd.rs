//! `xSYEVD` and `xHEEVD`: eigenvalues and eigenvectors, by LAPACK's interface to divide and
//! conquer.

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{JOBZ, Room, is_query, solve};
use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter, answer};
use crate::export::export;
use crate::option::UPLO;

export! {
    "Eigenvalues of a symmetric matrix, and its eigenvectors in place of it if `jobz` is V."
    syevd(
        jobz: Letter, uplo: Letter, n: Int, a: Array, lda: Int, w: Reals, work: Array, lwork: Int,
        iwork: Ints, liwork: Int
    ) info as ssyevd_: f32, dsyevd_: f64;

    "Eigenvalues of a Hermitian matrix, and its eigenvectors in place of it if `jobz` is V."
    heevd(
        jobz: Letter, uplo: Letter, n: Int, a: Array, lda: Int, w: Reals, work: Array, lwork: Int,
        rwork: Reals, lrwork: Int, iwork: Ints, liwork: Int
    ) info as cheevd_: c32, zheevd_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn syevd<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    w: Array<T::Real>,
    work: Array<T>,
    lwork: i32,
    iwork: Array<i32>,
    liwork: i32,
) -> Checked<i32> {
    let (vectors, uplo, a) = checked((jobz, uplo), n, (a, lda))?;
    let (least, integers) = match (vectors, a.rows) {
        (_, 0 | 1) => (1, 1),
        (true, n) => (1 + 6 * n + 2 * n * n, 3 + 5 * n),
        (false, n) => (2 * n + 1, 1),
    };
    let numbers = |size: usize| work.set(0, answer(size));
    let whole = |size: usize| iwork.set(0, size as i32);
    let rooms: [Room<&dyn Fn(usize)>; 2] = [
        Room { place: 8, size: lwork, answer: &numbers, least },
        Room { place: 10, size: liwork, answer: &whole, least: integers },
    ];
    if is_query(&rooms)? || a.rows == 0 {
        return Ok(0);
    }
    Ok(solve(vectors, uplo, a, w))
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn heevd<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    w: Array<T::Real>,
    work: Array<T>,
    lwork: i32,
    rwork: Array<T::Real>,
    lrwork: i32,
    iwork: Array<i32>,
    liwork: i32,
) -> Checked<i32> {
    let (vectors, uplo, a) = checked((jobz, uplo), n, (a, lda))?;
    let (least, reals, integers) = match (vectors, a.rows) {
        (_, 0 | 1) => (1, 1, 1),
        (true, n) => (2 * n + n * n, 1 + 5 * n + 2 * n * n, 3 + 5 * n),
        (false, n) => (n + 1, n, 1),
    };
    let numbers = |size: usize| work.set(0, answer(size));
    let real = |size: usize| rwork.set(0, answer(size));
    let whole = |size: usize| iwork.set(0, size as i32);
    let rooms: [Room<&dyn Fn(usize)>; 3] = [
        Room { place: 8, size: lwork, answer: &numbers, least },
        Room { place: 10, size: lrwork, answer: &real, least: reals },
        Room { place: 12, size: liwork, answer: &whole, least: integers },
    ];
    if is_query(&rooms)? || a.rows == 0 {
        return Ok(0);
    }
    Ok(solve(vectors, uplo, a, w))
}

/// What comes before the workspaces: whether vectors are wanted, which triangle, and the matrix.
fn checked<T: Scalar>(
    (jobz, uplo): (Letter, Letter),
    n: i32,
    (a, lda): (Array<T>, i32),
) -> Checked<(bool, Uplo, Matrix<T>)> {
    let (vectors, uplo, n) = (jobz.of(1, JOBZ)?, uplo.of(2, UPLO)?, n.size(3)?);
    Ok((vectors, uplo, a.matrix(n, n, lda.leading(5, n)?)))
}
