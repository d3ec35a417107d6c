//! `DSPOSV` and `ZCPOSV`: solves with a positive definite matrix.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Form, Part, Side, Uplo};
use tegula_kernels::scalar::{Scalar, c64};

use super::refine::{Rooms, System, iter, refine};
use crate::array::{Array, Matrix};
use crate::auxiliary::norms::value;
use crate::blas3::symm;
use crate::check::{Checked, Integer, Letter};
use crate::cholesky::{potrf, potrs};
use crate::export::export;
use crate::option::UPLO;
use crate::run::info;

export! {
    "`X = inv(A) B`, `A` positive definite, by factors of 32 bits and refinement, or else of 64."
    dsposv(
        uplo: Letter, n: Int, nrhs: Int, a: Array, lda: Int, b: Input, ldb: Int, x: Array,
        ldx: Int, work: Array, swork: Narrow, iter: Ints
    ) info as dsposv_: f64;

    "`X = inv(A) B`, `A` positive definite, by factors of 32 bits and refinement, or else of 64."
    zcposv(
        uplo: Letter, n: Int, nrhs: Int, a: Array, lda: Int, b: Input, ldb: Int, x: Array,
        ldx: Int, work: Array, swork: Narrow, rwork: Reals, iter: Ints
    ) info as zcposv_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn dsposv<T: Scalar<Real = f64>>(
    uplo: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
    x: Array<T>,
    ldx: i32,
    work: Array<T>,
    narrow: Array<T::Other>,
    iter: Array<i32>,
) -> Checked<i32> {
    run(uplo, (n, nrhs), (a, lda), (b, ldb), (x, ldx), (work, narrow), iter)
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn zcposv<T: Scalar<Real = f64>>(
    uplo: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
    x: Array<T>,
    ldx: i32,
    work: Array<T>,
    narrow: Array<T::Other>,
    _rwork: Array<f64>,
    iter: Array<i32>,
) -> Checked<i32> {
    run(uplo, (n, nrhs), (a, lda), (b, ldb), (x, ldx), (work, narrow), iter)
}

fn run<T: Scalar<Real = f64>>(
    uplo: Letter,
    (n, nrhs): (i32, i32),
    (a, lda): (Array<T>, i32),
    (b, ldb): (Array<T>, i32),
    (x, ldx): (Array<T>, i32),
    (work, narrow): (Array<T>, Array<T::Other>),
    steps: Array<i32>,
) -> Checked<i32> {
    steps.set(0, 0);
    let (uplo, n, nrhs) = (uplo.of(1, UPLO)?, n.size(2)?, nrhs.size(3)?);
    let lda = lda.leading(5, n)?;
    let b = b.matrix(n, nrhs, ldb.leading(7, n)?);
    let x = x.matrix(n, nrhs, ldx.leading(9, n)?);
    if n == 0 {
        return Ok(0);
    }
    let (a, lower) = (a.matrix(n, n, lda), a.lower(uplo, n, lda));
    let outcome = refine(&Positive { uplo, a }, &Rooms { b, x, work, narrow });
    steps.set(0, iter(outcome));
    if outcome.is_ok() {
        return Ok(0);
    }
    let outcome = potrf::factorise(lower);
    if outcome.is_ok() {
        x.view_mut().copy_from(b.view());
        potrs::solve(uplo, a, x);
    }
    Ok(info(outcome))
}

/// A Hermitian matrix.
struct Positive<T> {
    uplo: Uplo,
    a: Matrix<T>,
}

impl<T: Scalar<Real = f64>> System<T> for Positive<T> {
    fn part(&self) -> Part {
        self.uplo.into()
    }

    fn matrix(&self) -> Matrix<T> {
        self.a
    }

    fn norm(&self) -> f64 {
        value(Norm::Infinity, Structure::Symmetric(Form::Hermitian, self.uplo), self.a)
    }

    fn factorise(&self, a: Matrix<T::Other>) -> bool {
        let lower = if self.uplo == Uplo::Lower { a } else { a.transposed() };
        potrf::factorise(lower).is_ok()
    }

    fn solve(&self, factors: Matrix<T::Other>, b: Matrix<T::Other>) {
        potrs::solve(self.uplo, factors, b);
    }

    fn subtract_product(&self, x: Matrix<T>, r: Matrix<T>) {
        if r.cols > 0 {
            let how = (Form::Hermitian, Side::Left, self.uplo);
            symm::multiply(how, -T::ONE, self.a, x, T::ONE, r);
        }
    }
}
