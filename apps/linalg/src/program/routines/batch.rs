//! Many small problems of one shape at once: products, triangular solves, Cholesky and LU
//! factorisations.
//!
//! A batch is the matrix with its problems as blocks on the diagonal, of which only these are
//! stored, so that checks are those of one matrix, problem by problem.

use crate::Triangle;
use crate::batch::{self, Batch, BatchPivots, Infos};
use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};

use super::{cholesky, lu};
use crate::program::Routine;
use crate::program::case::{Case, cholesky_factors, product};
use crate::program::freivalds::largest_difference;
use crate::program::operand::Operand;
use crate::program::options::Choice;
use crate::program::random::Entries::{Dominant, PositiveDefinite, Uniform};
use crate::program::sizes::Size::{self, Count, N, Nrhs};
use crate::program::sizes::Sizes;

const FAMILY: &str = "batches";
const SQUARE: Operand = Operand::full(N, N, Uniform).problems();
const POSITIVE: Operand = Operand::triangle(N, PositiveDefinite).problems().input();
const RIGHT_SIDES: Operand = Operand::full(N, Nrhs, Uniform).problems().right_sides().result();

/// Order, right-hand sides and number of problems.
fn real(sizes: &Sizes) -> [f64; 3] {
    [sizes.n, sizes.nrhs, sizes.count].map(|size| size as f64)
}

/// Registers how each problem of the first operand will have gone.
fn register_infos<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) -> Batch<T> {
    let a = case.batch(0);
    case.infos = Some(Infos::new(flow, &a));
    a
}

fn infos<T>(case: &Case<T>) -> &Infos {
    case.infos.as_ref().expect("the algorithm factorises")
}

fn pivots<T>(case: &Case<T>) -> &BatchPivots {
    case.batch_pivots.as_ref().expect("the algorithm exchanges rows")
}

/// Why a problem of a batch has no result.
#[derive(Debug, thiserror::Error)]
#[error("problem {problem} of {problems}")]
struct OfBatch {
    problem: usize,
    problems: usize,
    source: NumericalError,
}

/// Fails with the first problem that has no factors.
fn verify_infos<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    failure: fn(usize) -> NumericalError,
) -> Result<(), Failure> {
    let infos = infos(case).read(flow)?;
    match infos.iter().position(|&info| info > 0) {
        Some(p) => {
            let source = failure(infos[p] as usize);
            Err(OfBatch { problem: p + 1, problems: infos.len(), source }.into())
        }
        None => Ok(()),
    }
}

/// Products of two matrices, added to a third.
pub(super) struct Gemm;

impl Routine for Gemm {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gemm-batch";
    const FORMULA: &'static str = "C = A B + C, each of order n";
    const SIZES: &'static [Size] = &[N, Count];
    const FLOPS: &'static str = "2 n^3 count";
    const CHECK: &'static str = "C w - (A (B w) + C0 w)";
    const OPERANDS: &'static [Operand] = &[SQUARE, SQUARE, SQUARE.result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [n, _, count] = real(sizes);
        2.0 * n.powi(3) * count
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let [a, b, c] = [0, 1, 2].map(|index| case.batch(index));
        batch::gemm(flow, (Trans::No, Trans::No), T::ONE, (&a, &b), T::ONE, &c);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(2);
        let expected = product(flow, &[case.original(0), case.original(1)], &w)?;
        let expected = expected.plus(&case.original(2).times(flow, &w)?);
        let found = case.found(2).times(flow, &w)?;
        Ok(largest_difference::<T>(&found, &expected, case.sizes.n, case.sizes.count))
    }
}

/// Solves with triangles.
pub(super) struct Trsm;

impl Routine for Trsm {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "trsm-batch";
    const FORMULA: &'static str = "op(T) X = B, each of order n";
    const SIZES: &'static [Size] = &[N, Nrhs, Count];
    const FLOPS: &'static str = "n^2 nrhs count";
    const CHECK: &'static str = "op(T) (X w) - B w";
    const HAS_UPLO: bool = true;
    const CHOICES: &'static [Choice] = &[Choice::Trans];
    const OPERANDS: &'static [Operand] =
        &[Operand::triangle(N, Dominant).problems().input(), RIGHT_SIDES];

    fn flops(sizes: &Sizes) -> f64 {
        let [n, nrhs, count] = real(sizes);
        n * n * nrhs * count
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let (uplo, trans) = (case.uplo(), case.sizes.options.trans);
        let how = Triangle { side: Side::Left, uplo, trans, diag: Diag::NonUnit };
        batch::trsm(flow, how, T::ONE, &case.batch(0), &case.batch(1));
    }

    /// Afterwards, since BLAS does not look.
    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        let (n, mut first) = (case.sizes.n, None);
        case.found(0).diagonal().each(flow, |i, _, entry| {
            if entry == c64::ZERO && first.is_none_or(|first| i < first) {
                first = Some(i);
            }
        })?;
        let Some(first) = first else { return Ok(()) };
        let source = NumericalError::SingularTriangle { index: first % n + 1 };
        Err(OfBatch { problem: first / n + 1, problems: case.sizes.count, source }.into())
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original_triangle(0).op(case.sizes.options.trans), 1)
    }
}

/// Cholesky factorisations.
pub(super) struct Potrf;

impl Routine for Potrf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "potrf-batch";
    const FORMULA: &'static str = "A = L L^H or U^H U, each of order n";
    const SIZES: &'static [Size] = &[N, Count];
    const FLOPS: &'static str = "potrf, count times";
    const CHECK: &'static str = "L (L^H w) - A w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[POSITIVE.result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [n, _, count] = real(sizes);
        cholesky::cholesky_flops(n) * count
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_infos(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        batch::potrf(flow, case.uplo(), &case.batch(0), infos(case));
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        verify_infos(flow, case, |order| NumericalError::NotPositiveDefinite { order })
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.product_error(flow, &case.original_hermitian(0), &cholesky_factors(case, 0))
    }
}

/// Solves with positive definite matrices.
pub(super) struct Posv;

impl Routine for Posv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "posv-batch";
    const FORMULA: &'static str = "A X = B, each A positive definite";
    const SIZES: &'static [Size] = &[N, Nrhs, Count];
    const FLOPS: &'static str = "posv, count times";
    const CHECK: &'static str = "A (X w) - B w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[POSITIVE, RIGHT_SIDES];

    fn flops(sizes: &Sizes) -> f64 {
        cholesky::Posv::flops(sizes) * sizes.count as f64
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_infos(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        Potrf::submit(flow, case);
        batch::potrs(flow, case.uplo(), &case.batch(0), &case.batch(1));
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        Potrf::verify(flow, case)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original_hermitian(0), 1)
    }
}

/// LU factorisations with partial pivoting.
pub(super) struct Getrf;

impl Routine for Getrf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "getrf-batch";
    const FORMULA: &'static str = "P A = L U, each of order n";
    const SIZES: &'static [Size] = &[N, Count];
    const FLOPS: &'static str = "getrf, count times";
    const CHECK: &'static str = "L (U w) - P (A w)";
    const OPERANDS: &'static [Operand] = &[SQUARE.input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [n, _, count] = real(sizes);
        lu::factor_flops(n, n) * count
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let a = register_infos(flow, case);
        case.batch_pivots = Some(BatchPivots::new(flow, &a));
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        batch::getrf(flow, &case.batch(0), pivots(case), infos(case));
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        verify_infos(flow, case, |index| NumericalError::Singular { index })
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let Sizes { n, count, .. } = case.sizes;
        let rows = pivots(case).rows(flow)?;
        if rows.iter().any(|&row| row as usize >= n) {
            return Ok(f64::INFINITY);
        }
        let rows = rows.into_iter().enumerate().map(|(i, row)| i / n * n + row as usize);
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?.exchanged(rows);
        let parts = [(Uplo::Lower, Diag::Unit), (Uplo::Upper, Diag::NonUnit)];
        let factors = parts.map(|(uplo, diag)| case.found(0).triangle(uplo, diag));
        let found = product(flow, &factors, &w)?;
        Ok(largest_difference::<T>(&found, &expected, n, count))
    }
}

/// Solves with general matrices.
pub(super) struct Gesv;

impl Routine for Gesv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gesv-batch";
    const FORMULA: &'static str = "A X = B with partial pivoting, each";
    const SIZES: &'static [Size] = &[N, Nrhs, Count];
    const FLOPS: &'static str = "gesv, count times";
    const CHECK: &'static str = "A (X w) - B w";
    const OPERANDS: &'static [Operand] = &[SQUARE.input(), RIGHT_SIDES];

    fn flops(sizes: &Sizes) -> f64 {
        lu::Gesv::flops(sizes) * sizes.count as f64
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        Getrf::register(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        Getrf::submit(flow, case);
        batch::getrs(flow, Trans::No, &case.batch(0), pivots(case), &case.batch(1));
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        Getrf::verify(flow, case)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original(0), 1)
    }
}
