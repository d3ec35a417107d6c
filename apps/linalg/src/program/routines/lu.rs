//! LU factorisation without pivoting, and with partial pivoting on columns of blocks; what is done
//! with its factors and its exchanges.

use std::ops::Range;

use crate::{Pivots, gesv, gesv_steps, getrf, getrf_nopiv, getrf_steps, getrs, laswp};
use tegula_kernels::option::{Diag, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use crate::program::case::{Case, product};
use crate::program::freivalds::{Factor, difference};
use crate::program::operand::Operand;
use crate::program::random::Entries::{Dominant, Uniform};
use crate::program::sizes::Size::{self, M, N, Nrhs};
use crate::program::sizes::Sizes;
use crate::program::{Factorised, Routine};

const FAMILY: &str = "LU";
const SQUARE: Operand = Operand::full(N, N, Uniform).columns().input();
const RIGHT_SIDES: Operand = Operand::full(N, Nrhs, Uniform).shares().right_sides().result();
const FACTOR_FLOPS: &str = "m n^2 - n^3/3, m >= n";

/// Operations of the factorisation of an `m x n` matrix (LAPACK Working Note 41, table 3).
pub(super) fn factor_flops(m: f64, n: f64) -> f64 {
    let (most, least) = (m.max(n), m.min(n));
    most * least.powi(2) - least.powi(3) / 3.0 - least.powi(2) / 2.0 + 5.0 * least / 6.0
}

/// The triangles `L` and `U` that overwrite the first operand.
fn factors<T: Scalar>(case: &Case<T>) -> [Factor<'_, T>; 2] {
    let parts = [(Uplo::Lower, Diag::Unit), (Uplo::Upper, Diag::NonUnit)];
    parts.map(|(uplo, diag)| case.found(0).triangle(uplo, diag))
}

/// Registers the pivots of the first operand.
fn register_pivots<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
    case.pivots = Some(Pivots::new(flow, &case[0]));
}

/// Fails if a step found no pivot.
fn verify_pivots<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
    case.pivots().singular(flow)?.map_or(Ok(()), |failure| Err(failure.into()))
}

/// The rows that were exchanged with the first, the second and so on.
fn exchanges<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<Vec<usize>, Failure> {
    let rows = case.pivots().rows(flow)?;
    Ok(rows.into_iter().map(|row| row as usize).collect())
}

/// Factorisation without pivoting.
pub(super) struct GetrfNopiv;

impl Routine for GetrfNopiv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "getrf-nopiv";
    const FORMULA: &'static str = "A = L U, A diagonally dominant";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = FACTOR_FLOPS;
    const CHECK: &'static str = "L (U w) - A w";
    const FACTORISED: Option<Factorised> = Some(Factorised::LU);
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Dominant).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes.m as f64, sizes.n as f64)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        getrf_nopiv(flow, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.product_error(flow, &case.original(0), &factors(case))
    }
}

/// Factorisation with partial pivoting.
pub(super) struct Getrf;

impl Routine for Getrf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "getrf";
    const FORMULA: &'static str = "P A = L U with partial pivoting";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = FACTOR_FLOPS;
    const CHECK: &'static str = "L (U w) - P (A w)";
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Uniform).columns().input().result()];
    const STATE: &'static [usize] = &[0];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes.m as f64, sizes.n as f64)
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_pivots(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        getrf(flow, &case[0], case.pivots());
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        getrf_steps(flow, &case[0], case.pivots(), steps);
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        verify_pivots(flow, case)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let rows = exchanges(flow, case)?;
        let expected = case.original(0).times(flow, &w)?.exchanged(rows);
        let found = product(flow, &factors(case), &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.n))
    }
}

/// The exchanges of rows that a factorisation made, made again of another matrix.
pub(super) struct Laswp;

impl Routine for Laswp {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "laswp";
    const FORMULA: &'static str = "B = P B with P A = L U factorised";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "B w - P (B0 w), exactly";
    const OPERANDS: &'static [Operand] = &[SQUARE, RIGHT_SIDES];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_pivots(flow, case);
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        getrf(flow, &case[0], case.pivots());
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        laswp(flow, case.pivots(), false, &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let (w, rows) = (case.signs(1), exchanges(flow, case)?);
        let expected = case.original(1).times(flow, &w)?.exchanged(rows);
        let found = case.found(1).times(flow, &w)?;
        // Each row is added up in the same order, wherever it stands.
        Ok(if found.value == expected.value { 0.0 } else { f64::INFINITY })
    }
}

/// Solve with the factors.
pub(super) struct Getrs;

impl Routine for Getrs {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "getrs";
    const FORMULA: &'static str = "A X = B with P A = L U factorised";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "(2 n^2 - n) nrhs";
    const CHECK: &'static str = "A (X w) - B w";
    const OPERANDS: &'static [Operand] = &[SQUARE, RIGHT_SIDES];

    fn flops(sizes: &Sizes) -> f64 {
        let [_, n, _, nrhs] = sizes.real();
        (2.0 * n * n - n) * nrhs
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_pivots(flow, case);
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        getrf(flow, &case[0], case.pivots());
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        getrs(flow, Trans::No, &case[0], case.pivots(), &case[1]);
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        verify_pivots(flow, case)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original(0), 1)
    }
}

/// Factorisation and solve at once.
pub(super) struct Gesv;

impl Routine for Gesv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gesv";
    const FORMULA: &'static str = "A X = B with partial pivoting";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "getrf + getrs";
    const CHECK: &'static str = "A (X w) - B w";
    const OPERANDS: &'static [Operand] = &[SQUARE, RIGHT_SIDES];
    const STATE: &'static [usize] = &[0, 1];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes.n as f64, sizes.n as f64) + Getrs::flops(sizes)
    }

    fn register<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        register_pivots(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        gesv(flow, &case[0], case.pivots(), &case[1]);
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        gesv_steps(flow, &case[0], case.pivots(), &case[1], steps);
    }

    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        verify_pivots(flow, case)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original(0), 1)
    }
}
