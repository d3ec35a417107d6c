//! Positive definite and general matrices with the help of 32 bits: tiles of two precisions, and
//! refinement.

use crate::{
    MixedMatrix, PrecisionMap, PrecisionRule, Refinement, gesv_mixed, mixed, posv_mixed,
    potrf_mixed, refine,
};
use tegula_kernels::kernel::gemm::TF32_ROUNDING;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Precision, Scalar};
use tegula_runtime::flow::{Failure, Flow, FlowError};
use tegula_tiles::TileMatrix;

use super::cholesky;
use crate::program::Routine;
use crate::program::case::{Case, Wide, cholesky_factors, product};
use crate::program::freivalds::{Factor, difference};
use crate::program::operand::Operand;
use crate::program::options::Choice;
use crate::program::random::Entries::{Nothing, Uniform};
use crate::program::sizes::Size::{self, N, Nrhs};
use crate::program::sizes::Sizes;

const FAMILY: &str = "32 bits";
const WIDE: &[Precision] = &[Precision::Double, Precision::ComplexDouble];
/// The name of a number that a factorisation gives.
const TF32: &str = "tiles in TF32 on devices";

/// Factorisation in tiles of two precisions.
pub(super) struct PotrfMixed;

impl Routine for PotrfMixed {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "potrf-mixed";
    const FORMULA: &'static str = "A = L L^H, light tiles in 32 bits";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^3/3 + n^2/2 + n/6";
    const CHECK: &'static str = "L (L^H w) - A w, accuracy for eps";
    const CHOICES: &'static [Choice] = &[Choice::Precisions];
    const PRECISIONS: &'static [Precision] = WIDE;
    const DECISIONS: &'static [(char, &'static str)] = mixed::DECISIONS;
    const OPERANDS: &'static [Operand] = &[cholesky::MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        cholesky::Potrf::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        match case.wide() {
            Wide::Real(case) => factorise(flow, case),
            Wide::Complex(case) => factorise(flow, case),
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let factors = cholesky_factors(case, 0);
        let error = case.product_error(flow, &case.original_hermitian(0), &factors)?;
        // Nobody rounds to TF32 where there are no devices.
        let rounds =
            !flow.is_flat() && case.values.iter().any(|&(name, n)| name == TF32 && n > 0.0);
        let narrow = if rounds { TF32_ROUNDING } else { T::Other::epsilon() };
        let unit = match case.sizes.options.rule {
            PrecisionRule::Band(_) => narrow,
            PrecisionRule::Norm { accuracy } => accuracy.min(narrow),
        };
        Ok(error * T::epsilon() / unit.max(T::epsilon()))
    }
}

/// Decides on precisions, factorises, and brings the factor back to 64 bits.
fn factorise<T: Scalar<Real = f64>>(flow: &mut Flow, case: &mut Case<T>) {
    let map = match PrecisionMap::of(flow, case.sizes.options.rule, &case[0]) {
        Ok(map) => map,
        Err(failure) => return case.failure = Some(failure.into()),
    };
    case.values =
        vec![("tiles in 32 bits", map.narrow_tiles() as f64), (TF32, map.rounded_tiles() as f64)];
    let mixed = MixedMatrix::<T>::new(flow, (case[0].n(), case[0].nb()), map);
    mixed.copy_from(flow, &case[0]);
    potrf_mixed(flow, &mixed);
    mixed.copy_to(flow, &case[0]);
    mixed.retire(flow);
}

/// A solver by factors in 32 bits.
type Solver<T> =
    fn(&mut Flow, &TileMatrix<T>, &TileMatrix<T>, &TileMatrix<T>) -> Result<Refinement, FlowError>;

/// Solves for operand 2, and keeps how that went.
fn solve<T: Scalar<Real = f64>>(flow: &mut Flow, case: &mut Case<T>, solver: Solver<T>) {
    let (steps, iterations, factorisations) = match solver(flow, &case[0], &case[1], &case[2]) {
        Ok(Refinement::Refined(steps)) => (steps, 0, 0),
        Ok(Refinement::Gmres(iterations)) => (0, iterations, 0),
        Ok(Refinement::Factorised) => (0, 0, 1),
        Ok(Refinement::Singular(why)) => return case.verdict = Some(why),
        Err(failure) => return case.failure = Some(failure.into()),
    };
    let values = [
        ("steps of refinement", steps),
        ("iterations of GMRES", iterations),
        ("factorisations in 64 bits", factorisations),
    ];
    case.values = values.map(|(name, count)| (name, count as f64)).to_vec();
}

/// How far `A X` is from `B`, operands 2 and 1.
fn error<T: Scalar>(flow: &mut Flow, case: &Case<T>, a: Factor<'_, T>) -> Result<f64, Failure> {
    let w = case.signs(2);
    let expected = case.original(1).times(flow, &w)?;
    let found = product(flow, &[a, case.found(2)], &w)?;
    Ok(difference::<T>(&found, &expected, case.sizes.n))
}

/// Solve with a positive definite matrix.
pub(super) struct PosvMixed;

impl Routine for PosvMixed {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "posv-mixed";
    const FORMULA: &'static str = "A X = B, A positive, refined";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "posv";
    const CHECK: &'static str = "A (X w) - B w";
    const PRECISIONS: &'static [Precision] = WIDE;
    const DECISIONS: &'static [(char, &'static str)] = refine::DECISIONS;
    const OPERANDS: &'static [Operand] = &[
        cholesky::MATRIX,
        Operand::full(N, Nrhs, Uniform).right_sides(),
        Operand::full(N, Nrhs, Nothing).result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        cholesky::Posv::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        match case.wide() {
            Wide::Real(case) => solve(flow, case, posv_mixed),
            Wide::Complex(case) => solve(flow, case, posv_mixed),
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        error(flow, case, case.original_hermitian(0))
    }
}

/// Solve with a general matrix.
pub(super) struct GesvMixed;

impl Routine for GesvMixed {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gesv-mixed";
    const FORMULA: &'static str = "A X = B, refined";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "gesv";
    const CHECK: &'static str = "A (X w) - B w";
    const PRECISIONS: &'static [Precision] = WIDE;
    const DECISIONS: &'static [(char, &'static str)] = refine::DECISIONS;
    const OPERANDS: &'static [Operand] = &[
        Operand::full(N, N, Uniform).columns().input(),
        Operand::full(N, Nrhs, Uniform).columns().right_sides(),
        Operand::full(N, Nrhs, Nothing).columns().result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        super::lu::Gesv::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        match case.wide() {
            Wide::Real(case) => solve(flow, case, gesv_mixed),
            Wide::Complex(case) => solve(flow, case, gesv_mixed),
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        error(flow, case, case.original(0).op(Trans::No))
    }
}
