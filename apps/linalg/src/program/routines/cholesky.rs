//! Cholesky factorisation, and what is done with its factor.

use std::ops::Range;

use crate::{posv, posv_steps, potrf, potrf_steps, potrs};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use crate::program::case::{Case, cholesky_factors};
use crate::program::operand::Operand;
use crate::program::random::Entries::{PositiveDefinite, Uniform};
use crate::program::sizes::Size::{self, N, Nrhs};
use crate::program::sizes::Sizes;
use crate::program::{Factorised, Routine};

pub(super) const FAMILY: &str = "Cholesky";
pub(super) const MATRIX: Operand = Operand::triangle(N, PositiveDefinite).input();
const RIGHT_SIDES: Operand = Operand::full(N, Nrhs, Uniform).right_sides().result();

/// Operations of a Cholesky factorisation of order `n` (LAPACK Working Note 41).
#[must_use]
pub fn cholesky_flops(n: f64) -> f64 {
    n.powi(3) / 3.0 + n.powi(2) / 2.0 + n / 6.0
}

/// Factorisation of a positive definite matrix.
pub(super) struct Potrf;

impl Routine for Potrf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "potrf";
    const FORMULA: &'static str = "A = L L^H or U^H U, positive definite";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^3/3 + n^2/2 + n/6";
    const CHECK: &'static str = "L (L^H w) - A w";
    const HAS_UPLO: bool = true;
    const FACTORISED: Option<Factorised> = Some(Factorised::CHOLESKY);
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];
    const STATE: &'static [usize] = &[0];

    fn flops(sizes: &Sizes) -> f64 {
        cholesky_flops(sizes.n as f64)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        potrf(flow, case.hermitian(0));
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        potrf_steps(flow, case.hermitian(0), steps);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.product_error(flow, &case.original_hermitian(0), &cholesky_factors(case, 0))
    }
}

/// Solve with the factor.
pub(super) struct Potrs;

impl Routine for Potrs {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "potrs";
    const FORMULA: &'static str = "A X = B with A = L L^H factorised";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "2 n^2 nrhs";
    const CHECK: &'static str = "A (X w) - B w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[MATRIX, RIGHT_SIDES];

    fn flops(sizes: &Sizes) -> f64 {
        let [_, n, _, nrhs] = sizes.real();
        2.0 * n * n * nrhs
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        potrf(flow, case.hermitian(0));
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        potrs(flow, case.hermitian(0), &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original_hermitian(0), 1)
    }
}

/// Factorisation and solve at once.
pub(super) struct Posv;

impl Routine for Posv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "posv";
    const FORMULA: &'static str = "A X = B, A positive definite";
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "potrf + potrs";
    const CHECK: &'static str = "A (X w) - B w";
    const HAS_UPLO: bool = true;
    const FACTORISED: Option<Factorised> = Some(Factorised::CHOLESKY.and_more());
    const OPERANDS: &'static [Operand] = &[MATRIX, RIGHT_SIDES];
    const STATE: &'static [usize] = &[0];

    fn flops(sizes: &Sizes) -> f64 {
        Potrf::flops(sizes) + Potrs::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        posv(flow, case.hermitian(0), &case[1]);
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        posv_steps(flow, case.hermitian(0), &case[1], steps);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        case.solution_error(flow, &case.original_hermitian(0), 1)
    }
}
