//! Matrix products.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::gemm;
use tegula_runtime::flow::{Flow, FlowError};

use crate::linalg::case::{Case, product};
use crate::linalg::entry::Listed;
use crate::linalg::fill::Entries::Uniform;
use crate::linalg::operand::Operand;
use crate::linalg::probe::difference;
use crate::linalg::sizes::Size::{self, K, M, N};
use crate::linalg::sizes::Sizes;

/// Product of two matrices, added to a third.
pub(super) struct Gemm;

impl Listed for Gemm {
    const FAMILY: &'static str = "products";
    const NAME: &'static str = "gemm";
    const FORMULA: &'static str = "C = A B + C, A m x k, B k x n";
    const SIZES: &'static [Size] = &[M, N, K];
    const FLOPS: &'static str = "2 m n k";
    const CHECK: &'static str = "C w - (A (B w) + C0 w)";
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, K, Uniform), Operand::full(K, N, Uniform), Operand::full(M, N, Uniform)];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, k, _] = sizes.real();
        2.0 * m * n * k
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        gemm(flow, (Trans::No, Trans::No), T::ONE, &case[0], &case[1], T::ONE, &case[2]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, FlowError> {
        let w = case.signs(2);
        let expected = product(flow, &[case.given(0), case.given(1)], &w)?;
        let expected = expected.plus(&case.given(2).times(flow, &w)?);
        let found = case.found(2).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.k))
    }
}
