//! The sum by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Geadd;
use crate::cuda::{Blas, input, int, output, trans};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Geadd<T> {
    /// Puts the sum on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, alpha, beta, .. } = self;
        let (a, b) = (input::<T>(launch, 0, m * n), output::<T>(launch, 1, m * n));
        if m == 0 || n == 0 {
            return Ok(());
        }
        let ld = int(self.trans.stored(m, n).0);
        let (op, same, m, n) = (trans(self.trans), trans(Trans::No), int(m), int(n));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for; the result may overwrite
        // the operand that is not transposed.
        blas.call(|blas| unsafe {
            (calls.geam)(blas, op, same, m, n, &alpha, a, ld, &beta, b, m, b, m)
        })
    }
}
