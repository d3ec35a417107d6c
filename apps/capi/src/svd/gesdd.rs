//! `xGESDD`: singular values and vectors, by LAPACK's interface to divide and conquer.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{Failed, JOBS, Job, Wanted, solve};
use crate::array::Array;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::qr::is_query;

export! {
    "Singular values and vectors, `A = U S V^T`."
    gesdd(
        jobz: Letter, m: Int, n: Int, a: Array, lda: Int, s: Reals, u: Array, ldu: Int, vt: Array,
        ldvt: Int, work: Array, lwork: Int, iwork: Ints
    ) info as sgesdd_: f32, dgesdd_: f64;

    "Singular values and vectors, `A = U S V^H`."
    gesdd_complex(
        jobz: Letter, m: Int, n: Int, a: Array, lda: Int, s: Reals, u: Array, ldu: Int, vt: Array,
        ldvt: Int, work: Array, lwork: Int, rwork: Reals, iwork: Ints
    ) info as cgesdd_: c32, zgesdd_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn gesdd<T: Scalar>(
    jobz: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    s: Array<T::Real>,
    u: Array<T>,
    ldu: i32,
    vt: Array<T>,
    ldvt: i32,
    work: Array<T>,
    lwork: i32,
    _iwork: Array<i32>,
) -> Checked<i32> {
    run(jobz, (m, n), (a, lda), s, (u, ldu), (vt, ldvt), (work, lwork))
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn gesdd_complex<T: Scalar>(
    jobz: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    s: Array<T::Real>,
    u: Array<T>,
    ldu: i32,
    vt: Array<T>,
    ldvt: i32,
    work: Array<T>,
    lwork: i32,
    _rwork: Array<T::Real>,
    _iwork: Array<i32>,
) -> Checked<i32> {
    run(jobz, (m, n), (a, lda), s, (u, ldu), (vt, ldvt), (work, lwork))
}

fn run<T: Scalar>(
    jobz: Letter,
    (m, n): (i32, i32),
    (a, lda): (Array<T>, i32),
    s: Array<T::Real>,
    (u, ldu): (Array<T>, i32),
    (vt, ldvt): (Array<T>, i32),
    (work, lwork): (Array<T>, i32),
) -> Checked<i32> {
    let job = jobz.of(1, JOBS)?;
    let (m, n) = (m.size(2)?, n.size(3)?);
    let (a, count) = (a.matrix(m, n, lda.leading(5, m)?), m.min(n));
    // Columns of U and rows of V^H that have arrays of their own.
    let (columns, rows) = match job {
        Job::All => (m, n),
        Job::Some => (count, count),
        Job::Overwrite if m >= n => (0, n),
        Job::Overwrite => (m, 0),
        Job::None => (0, 0),
    };
    let ldu = ldu.leading(8, if columns > 0 { m } else { 0 })?;
    let ldvt = ldvt.leading(10, rows)?;
    if is_query(12, work, lwork, least::<T>(job, m.min(n), m.max(n)))? || count == 0 {
        return Ok(0);
    }
    let (own_u, own_vh) = (u.matrix(m, columns, ldu), vt.matrix(rows, n, ldvt));
    let wanted = match job {
        Job::None => Wanted { u: None, vh: None },
        Job::Overwrite if m >= n => Wanted { u: Some(a.corner(m, count)), vh: Some(own_vh) },
        Job::Overwrite => Wanted { u: Some(own_u), vh: Some(a.corner(count, n)) },
        Job::All | Job::Some => Wanted { u: Some(own_u), vh: Some(own_vh) },
    };
    Ok(match solve(a, s, wanted) {
        Ok(()) => 0,
        // The matrix is argument 4 if NaN is in it, as LAPACK says without a report.
        Err(Failed::Nan) => -4,
        Err(Failed::NoConvergence) => count as i32,
    })
}

/// The size of the workspace that LAPACK asks for, of a matrix with these sides.
fn least<T: Scalar>(job: Job, short: usize, long: usize) -> usize {
    if short == 0 {
        return 1;
    }
    let square = short * short;
    if T::IS_COMPLEX {
        return match job {
            Job::None if long >= short * 17 / 9 => 3 * short,
            Job::Overwrite if long >= short * 17 / 9 => 2 * square + 3 * short,
            Job::Some if long >= short * 17 / 9 => square + 3 * short,
            Job::All if long >= short * 17 / 9 => square + (3 * short).max(short + long),
            Job::Overwrite => 2 * short + long + square,
            _ => 2 * short + long,
        };
    }
    let divided = 3 * square + 4 * short;
    let is_tall = long >= short * 11 / 6;
    match job {
        Job::None if is_tall => 8 * short,
        Job::None => 3 * short + long.max(7 * short),
        Job::Overwrite if is_tall => 2 * square + 3 * short + divided,
        Job::Overwrite => 3 * short + long.max(square + divided),
        Job::Some if is_tall => square + 3 * short + divided,
        Job::All if is_tall => square + (3 * short + divided).max(short + long),
        Job::Some | Job::All => 3 * short + long.max(divided),
    }
}
