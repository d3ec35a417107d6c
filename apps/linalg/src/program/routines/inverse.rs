//! Inverses: of positive definite matrices, of triangles; and the product of a triangle with its
//! conjugate transpose.

use crate::{lauum, poinv, potrf, potri, trtri};
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use super::cholesky::{FAMILY, MATRIX, Potrf};
use crate::program::Routine;
use crate::program::case::{Case, product};
use crate::program::freivalds::{Factor, difference};
use crate::program::operand::Operand;
use crate::program::random::Entries::Dominant;
use crate::program::sizes::Size::{self, N};
use crate::program::sizes::Sizes;

/// How far `A X` is from the identity, where operand 0 was `A` and is `X` now.
fn inverse_error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    factors: &[Factor<'_, T>],
) -> Result<f64, Failure> {
    let w = case.signs(0);
    let found = product(flow, factors, &w)?;
    Ok(difference::<T>(&found, &w, case.sizes.n))
}

fn hermitian_inverse_error<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
    let found = case.found(0).mirrored(Form::Hermitian, case.uplo());
    inverse_error(flow, case, &[case.original_hermitian(0), found])
}

/// Inverse from the Cholesky factor.
pub(super) struct Potri;

impl Routine for Potri {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "potri";
    const FORMULA: &'static str = "X = A^-1 with the factor of A = L L^H";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "2 n^3/3 + n^2/2 + 5 n/6";
    const CHECK: &'static str = "A (X w) - w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        Trtri::flops(sizes) + Lauum::flops(sizes)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        potrf(flow, case.hermitian(0));
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        potri(flow, case.hermitian(0));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        hermitian_inverse_error(flow, case)
    }
}

/// Inverse of a positive definite matrix at once.
pub(super) struct Poinv;

impl Routine for Poinv {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "poinv";
    const FORMULA: &'static str = "X = A^-1, A positive definite";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "potrf + potri";
    const CHECK: &'static str = "A (X w) - w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        Potrf::flops(sizes) + Potri::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        poinv(flow, case.hermitian(0));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        hermitian_inverse_error(flow, case)
    }
}

/// Inverse of a triangle.
pub(super) struct Trtri;

impl Routine for Trtri {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "trtri";
    const FORMULA: &'static str = "X = T^-1, T triangular";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^3/3 + 2 n/3";
    const CHECK: &'static str = "T (X w) - w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[Operand::triangle(N, Dominant).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        let n = sizes.n as f64;
        n.powi(3) / 3.0 + 2.0 * n / 3.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        trtri(flow, case.uplo(), Diag::NonUnit, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        inverse_error(flow, case, &[case.original_triangle(0), case.found_triangle(0)])
    }
}

/// Product of a triangle with its conjugate transpose.
pub(super) struct Lauum;

impl Routine for Lauum {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lauum";
    const FORMULA: &'static str = "A = L^H L or U U^H, triangular";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^3/3 + n^2/2 + n/6";
    const CHECK: &'static str = "A w - L^H (L w)";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[Operand::triangle(N, Dominant).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        let n = sizes.n as f64;
        n.powi(3) / 3.0 + n.powi(2) / 2.0 + n / 6.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        lauum(flow, case.hermitian(0));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let [first, last] = match case.uplo() {
            Uplo::Lower => [Trans::Conj, Trans::No],
            Uplo::Upper => [Trans::No, Trans::Conj],
        };
        let factors = [first, last].map(|trans| case.original_triangle(0).op(trans));
        let expected = product(flow, &factors, &w)?;
        let found = case.found(0).mirrored(Form::Hermitian, case.uplo()).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.n))
    }
}
