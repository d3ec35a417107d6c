//! Solves with triangles.

use tegula_kernels::option::{Diag, Side, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{Triangle, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use crate::linalg::case::Case;
use crate::linalg::entry::Listed;
use crate::linalg::fill::Entries::{Dominant, Uniform};
use crate::linalg::operand::Operand;
use crate::linalg::sizes::Size::{self, M, N};
use crate::linalg::sizes::Sizes;

/// Triangular solve with many right-hand sides.
pub(super) struct Trsm;

impl Listed for Trsm {
    const FAMILY: &'static str = "products";
    const NAME: &'static str = "trsm";
    const FORMULA: &'static str = "T X = B, T triangular of order m";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "n m^2";
    const CHECK: &'static str = "T (X w) - B w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] =
        &[Operand::triangle(M, Dominant), Operand::full(M, N, Uniform)];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        n * m * m
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        let (uplo, trans, diag) = (case.uplo(), Trans::No, Diag::NonUnit);
        trsm(flow, Triangle { side: Side::Left, uplo, trans, diag }, T::ONE, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, FlowError> {
        case.solution_error(flow, &case.given_triangle(0), 1)
    }
}
