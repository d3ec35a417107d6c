//! `xGESVD`: singular values and vectors.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{JOBS, Job, Wanted, solve};
use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter, require};
use crate::export::export;
use crate::qr::is_query;

export! {
    "Singular values and vectors, `A = U S V^T`."
    gesvd(
        jobu: Letter, jobvt: Letter, m: Int, n: Int, a: Array, lda: Int, s: Reals, u: Array,
        ldu: Int, vt: Array, ldvt: Int, work: Array, lwork: Int
    ) info as sgesvd_: f32, dgesvd_: f64;

    "Singular values and vectors, `A = U S V^H`."
    gesvd_complex(
        jobu: Letter, jobvt: Letter, m: Int, n: Int, a: Array, lda: Int, s: Reals, u: Array,
        ldu: Int, vt: Array, ldvt: Int, work: Array, lwork: Int, rwork: Reals
    ) info as cgesvd_: c32, zgesvd_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn gesvd<T: Scalar>(
    jobu: Letter,
    jobvt: Letter,
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
) -> Checked<i32> {
    run((jobu, jobvt), (m, n), (a, lda), s, (u, ldu), (vt, ldvt), (work, lwork))
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn gesvd_complex<T: Scalar>(
    jobu: Letter,
    jobvt: Letter,
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
) -> Checked<i32> {
    run((jobu, jobvt), (m, n), (a, lda), s, (u, ldu), (vt, ldvt), (work, lwork))
}

fn run<T: Scalar>(
    (jobu, jobvt): (Letter, Letter),
    (m, n): (i32, i32),
    (a, lda): (Array<T>, i32),
    s: Array<T::Real>,
    (u, ldu): (Array<T>, i32),
    (vt, ldvt): (Array<T>, i32),
    (work, lwork): (Array<T>, i32),
) -> Checked<i32> {
    let jobs = (jobu.of(1, JOBS)?, jobvt.of(2, JOBS)?);
    require(2, jobs != (Job::Overwrite, Job::Overwrite))?;
    let (m, n) = (m.size(3)?, n.size(4)?);
    let (a, count) = (a.matrix(m, n, lda.leading(6, m)?), m.min(n));
    let rows = |job: Job, all: usize| match job {
        Job::All => all,
        Job::Some => count,
        Job::Overwrite | Job::None => 0,
    };
    let ldu = ldu.leading(9, if rows(jobs.0, m) > 0 { m } else { 0 })?;
    let ldvt = ldvt.leading(11, rows(jobs.1, n))?;
    if is_query(13, work, lwork, least::<T>(jobs, m, n))? || count == 0 {
        return Ok(0);
    }
    let place = |job: Job, own: Matrix<T>, in_a: Matrix<T>| match job {
        Job::None => None,
        Job::Overwrite => Some(in_a),
        Job::All | Job::Some => Some(own),
    };
    let wanted = Wanted {
        u: place(jobs.0, u.matrix(m, rows(jobs.0, m), ldu), a.corner(m, count)),
        vh: place(jobs.1, vt.matrix(rows(jobs.1, n), n, ldvt), a.corner(count, n)),
    };
    Ok(solve(a, s, wanted).map_or(count as i32, |()| 0))
}

/// The size of the workspace that LAPACK asks for.
fn least<T: Scalar>((jobu, jobvt): (Job, Job), m: usize, n: usize) -> usize {
    let (short, long) = (m.min(n), m.max(n));
    if short == 0 {
        return 1;
    }
    let job = if m >= n { jobu } else { jobvt };
    let is_reduced = long >= short * 8 / 5 && job == Job::None;
    match (T::IS_COMPLEX, is_reduced) {
        (false, true) => 5 * short,
        (false, false) => (3 * short + long).max(5 * short),
        (true, true) => 3 * short,
        (true, false) => 2 * short + long,
    }
}
