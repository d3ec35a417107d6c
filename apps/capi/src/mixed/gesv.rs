//! `DSGESV` and `ZCGESV`: solves with a general matrix.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::{Scalar, c64};

use super::refine::{Rooms, System, iter, refine};
use crate::array::{Array, Matrix};
use crate::auxiliary::norms::value;
use crate::blas3::gemm;
use crate::check::{Checked, Integer};
use crate::export::export;
use crate::lu::{getrf, getrs};

export! {
    "`X = inv(A) B` by factors of 32 bits and refinement, or else by factors of 64."
    dsgesv(
        n: Int, nrhs: Int, a: Array, lda: Int, ipiv: Ints, b: Input, ldb: Int, x: Array, ldx: Int,
        work: Array, swork: Narrow, iter: Ints
    ) info as dsgesv_: f64;

    "`X = inv(A) B` by factors of 32 bits and refinement, or else by factors of 64."
    zcgesv(
        n: Int, nrhs: Int, a: Array, lda: Int, ipiv: Ints, b: Input, ldb: Int, x: Array, ldx: Int,
        work: Array, swork: Narrow, rwork: Reals, iter: Ints
    ) info as zcgesv_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn dsgesv<T: Scalar<Real = f64>>(
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    ipiv: Array<i32>,
    b: Array<T>,
    ldb: i32,
    x: Array<T>,
    ldx: i32,
    work: Array<T>,
    narrow: Array<T::Other>,
    iter: Array<i32>,
) -> Checked<i32> {
    run((n, nrhs), (a, lda, ipiv), (b, ldb), (x, ldx), (work, narrow), iter)
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn zcgesv<T: Scalar<Real = f64>>(
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    ipiv: Array<i32>,
    b: Array<T>,
    ldb: i32,
    x: Array<T>,
    ldx: i32,
    work: Array<T>,
    narrow: Array<T::Other>,
    _rwork: Array<f64>,
    iter: Array<i32>,
) -> Checked<i32> {
    run((n, nrhs), (a, lda, ipiv), (b, ldb), (x, ldx), (work, narrow), iter)
}

fn run<T: Scalar<Real = f64>>(
    (n, nrhs): (i32, i32),
    (a, lda, ipiv): (Array<T>, i32, Array<i32>),
    (b, ldb): (Array<T>, i32),
    (x, ldx): (Array<T>, i32),
    (work, narrow): (Array<T>, Array<T::Other>),
    steps: Array<i32>,
) -> Checked<i32> {
    steps.set(0, 0);
    let (n, nrhs) = (n.size(1)?, nrhs.size(2)?);
    let a = a.matrix(n, n, lda.leading(4, n)?);
    let b = b.matrix(n, nrhs, ldb.leading(7, n)?);
    let x = x.matrix(n, nrhs, ldx.leading(9, n)?);
    if n == 0 {
        return Ok(0);
    }
    let outcome = refine(&General { a, ipiv }, &Rooms { b, x, work, narrow });
    steps.set(0, iter(outcome));
    if outcome.is_ok() {
        return Ok(0);
    }
    let singular = getrf::factorise(a, ipiv);
    if singular == 0 {
        x.view_mut().copy_from(b.view());
        getrs::solve(Trans::No, a, ipiv, x);
    }
    Ok(singular)
}

/// A general matrix, and where its exchanges of rows go.
struct General<T> {
    a: Matrix<T>,
    ipiv: Array<i32>,
}

impl<T: Scalar<Real = f64>> System<T> for General<T> {
    fn part(&self) -> Part {
        Part::Whole
    }

    fn matrix(&self) -> Matrix<T> {
        self.a
    }

    fn norm(&self) -> f64 {
        value(Norm::Infinity, Structure::General, self.a)
    }

    fn factorise(&self, a: Matrix<T::Other>) -> bool {
        getrf::factorise(a, self.ipiv) == 0
    }

    fn solve(&self, factors: Matrix<T::Other>, b: Matrix<T::Other>) {
        getrs::solve(Trans::No, factors, self.ipiv, b);
    }

    fn subtract_product(&self, x: Matrix<T>, r: Matrix<T>) {
        if r.cols > 0 {
            gemm::multiply((Trans::No, Trans::No), -T::ONE, self.a, x, T::ONE, r);
        }
    }
}
