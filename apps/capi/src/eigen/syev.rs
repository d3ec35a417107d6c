//! `xSYEV` and `xHEEV`: eigenvalues and eigenvectors.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{JOBZ, Room, is_query, solve};
use crate::array::Array;
use crate::check::{Checked, Integer, Letter, answer};
use crate::export::export;
use crate::option::UPLO;

export! {
    "Eigenvalues of a symmetric matrix, and its eigenvectors in place of it if `jobz` is V."
    syev(
        jobz: Letter, uplo: Letter, n: Int, a: Array, lda: Int, w: Reals, work: Array, lwork: Int
    ) info as ssyev_: f32, dsyev_: f64;

    "Eigenvalues of a Hermitian matrix, and its eigenvectors in place of it if `jobz` is V."
    heev(
        jobz: Letter, uplo: Letter, n: Int, a: Array, lda: Int, w: Reals, work: Array, lwork: Int,
        rwork: Reals
    ) info as cheev_: c32, zheev_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn syev<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    w: Array<T::Real>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    run((jobz, uplo), n, (a, lda), w, (work, lwork), |n| 3 * n)
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn heev<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    w: Array<T::Real>,
    work: Array<T>,
    lwork: i32,
    _rwork: Array<T::Real>,
) -> Checked<i32> {
    run((jobz, uplo), n, (a, lda), w, (work, lwork), |n| 2 * n)
}

fn run<T: Scalar>(
    (jobz, uplo): (Letter, Letter),
    n: i32,
    (a, lda): (Array<T>, i32),
    w: Array<T::Real>,
    (work, size): (Array<T>, i32),
    one_more_than_least: fn(usize) -> usize,
) -> Checked<i32> {
    let (vectors, uplo, n) = (jobz.of(1, JOBZ)?, uplo.of(2, UPLO)?, n.size(3)?);
    let a = a.matrix(n, n, lda.leading(5, n)?);
    let numbers = |least: usize| work.set(0, answer(least));
    let least = one_more_than_least(n).saturating_sub(1).max(1);
    if is_query(&[Room { place: 8, size, answer: &numbers, least }])? || n == 0 {
        return Ok(0);
    }
    Ok(solve(vectors, uplo, a, w))
}
