//! The solve by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Trsv;
use crate::cuda::{Blas, diag, input, int, output, trans, uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Trsv<T> {
    /// Puts the solve on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let n = self.n;
        let (t, x) = (input::<T>(launch, 0, n * n), output::<T>(launch, 1, n));
        if n == 0 {
            return Ok(());
        }
        let (fill, op, unit, n) = (uplo(self.uplo), trans(self.trans), diag(self.diag), int(n));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe { (calls.trsv)(blas, fill, op, unit, n, t, n, x, 1) })
    }
}
