//! Norms, of which LAPACK has one routine for each kind of matrix: all four at once.

use crate::{Spectrum, SpectrumKind, SpectrumShape, lange, lansy, lantr, latms, norm2};
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Diag, Form};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::{Failure, Flow, FlowError};

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::Factor;
use crate::program::operand::Operand;
use crate::program::random::Entries::{Nothing, Uniform};
use crate::program::sizes::Size::{self, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "norms";
const CHECK: &str = "norm - norm in double precision";

/// Names of the norms, as results have them.
const NAMES: [&str; 4] = ["max", "one", "infinity", "frobenius"];

/// Keeps the norms, or why there are none.
fn keep<T: Scalar>(case: &mut Case<T>, norms: [Result<T::Real, FlowError>; 4]) {
    case.values.clear();
    for (name, norm) in NAMES.into_iter().zip(norms) {
        match norm {
            Ok(norm) => case.values.push((name, norm.to_f64())),
            Err(failure) => case.failure = case.failure.take().or(Some(failure.into())),
        }
    }
}

/// How far the norms that were found are from those of `matrix`, in units of rounding.
fn norm_error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    matrix: &Factor<'_, T>,
) -> Result<f64, Failure> {
    let (m, n) = matrix.shape();
    let (mut rows, mut columns) = (vec![0.0; m], vec![0.0; n]);
    let (mut max, mut squares) = (0.0f64, 0.0);
    matrix.each(flow, |i, j, entry| {
        let size = entry.size();
        rows[i] += size;
        columns[j] += size;
        max = max.max(size);
    })?;
    let scale = if max == 0.0 { 1.0 } else { max };
    matrix.each(flow, |_, _, entry| squares += (entry.size() / scale).powi(2))?;
    let largest = |sums: &[f64]| sums.iter().copied().fold(0.0, f64::max);
    let expected = [max, largest(&columns), largest(&rows), scale * squares.sqrt()];
    let unit = m.max(n).max(1) as f64 * T::epsilon();
    let error = |(name, expected): (&str, f64)| {
        let found = case.values.iter().find(|(found, _)| *found == name);
        let Some(&(_, found)) = found else { return f64::INFINITY };
        let error = (found - expected).abs() / (expected * unit).max(f64::MIN_POSITIVE);
        if error.is_nan() { f64::INFINITY } else { error }
    };
    Ok(NAMES.into_iter().zip(expected).map(error).fold(0.0, f64::max))
}

/// Norms of a general matrix.
pub(super) struct Lange;

impl Routine for Lange {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lange";
    const FORMULA: &'static str = "max, 1-, inf-, F-norm of A, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "5 m n";
    const CHECK: &'static str = CHECK;
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Uniform).input()];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        5.0 * m * n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let norms = Norm::ALL.map(|norm| lange(flow, norm, &case[0]));
        keep(case, norms);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        norm_error(flow, case, &case.original(0))
    }
}

/// Norms of a Hermitian matrix.
pub(super) struct Lansy;

impl Routine for Lansy {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lansy";
    const FORMULA: &'static str = "the same of a Hermitian A";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "5 n^2";
    const CHECK: &'static str = CHECK;
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[Operand::triangle(N, Uniform).input()];

    fn flops(sizes: &Sizes) -> f64 {
        5.0 * (sizes.n as f64).powi(2)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let how = (Form::Hermitian, case.uplo());
        let norms = Norm::ALL.map(|norm| lansy(flow, norm, how, &case[0]));
        keep(case, norms);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        norm_error(flow, case, &case.original_hermitian(0))
    }
}

/// Norms of a triangle.
pub(super) struct Lantr;

impl Routine for Lantr {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lantr";
    const FORMULA: &'static str = "the same of a triangular A";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "5 n (n + 1)/2";
    const CHECK: &'static str = CHECK;
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[Operand::triangle(N, Uniform).input()];

    fn flops(sizes: &Sizes) -> f64 {
        let n = sizes.n as f64;
        2.5 * n * (n + 1.0)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let how = (case.uplo(), Diag::NonUnit);
        let norms = Norm::ALL.map(|norm| lantr(flow, norm, how, &case[0]));
        keep(case, norms);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        norm_error(flow, case, &case.original_triangle(0))
    }
}

/// Estimate of the two-norm.
pub(super) struct Norm2;

/// Singular values of the matrix whose two-norm is known.
const SPECTRUM: Spectrum =
    Spectrum { shape: SpectrumShape::OneLarge, condition: 10.0, largest: 3.0 };
/// Iterations beyond which the norm is not looked for.
const MOST: usize = 100;

impl Routine for Norm2 {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "norm2";
    const FORMULA: &'static str = "2-norm of a matrix of latms, iterated";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "4 m n, each iteration";
    const CHECK: &'static str = "norm - largest singular value";
    const DECISIONS: &'static [(char, &'static str)] = norm2::DECISIONS;
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Nothing)];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        4.0 * m * n
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        latms(flow, SpectrumKind::General, &SPECTRUM, case.sizes.seed, &case[0]);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        case.values.clear();
        match norm2(flow, &case[0], T::epsilon(), MOST) {
            Ok(norm) => case.values.push(("two", norm.to_f64())),
            Err(failure) => case.failure = Some(failure.into()),
        }
    }

    fn check<T: Scalar>(_flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let Sizes { m, n, .. } = case.sizes;
        let expected = if m.min(n) == 0 { 0.0 } else { SPECTRUM.largest };
        let Some(&(_, found)) = case.values.first() else { return Ok(f64::INFINITY) };
        let unit = m.max(n).max(1) as f64 * T::epsilon() * SPECTRUM.largest;
        Ok((found - expected).abs() / unit)
    }
}
