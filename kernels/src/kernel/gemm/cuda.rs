//! The product by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Gemm;
use crate::cuda::{Blas, input, int, leading, output, trans};
use crate::scalar::Scalar;

impl<T: Scalar> Gemm<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { trans_a, trans_b, m, n, k, alpha, beta } = self;
        let (a, b) = (input::<T>(launch, 0, m * k), input::<T>(launch, 1, k * n));
        let c = output::<T>(launch, 2, m * n);
        if m == 0 || n == 0 {
            return Ok(());
        }
        let ld_a = leading(trans_a.stored(m, k).0);
        let ld_b = leading(trans_b.stored(k, n).0);
        let (op_a, op_b) = (trans(trans_a), trans(trans_b));
        let (m, n, k) = (int(m), int(n), int(k));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe {
            (calls.gemm)(blas, op_a, op_b, m, n, k, &alpha, a, ld_a, b, ld_b, &beta, c, m)
        })
    }
}
