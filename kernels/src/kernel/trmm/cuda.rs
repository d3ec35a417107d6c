//! The product by cuBLAS, whose result may overwrite its operand.

use tegula_runtime::flow::{Failure, Launch};

use super::Trmm;
use crate::cuda::{Blas, diag, input, int, output, side, trans, uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Trmm<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, alpha, .. } = self;
        let order = self.order();
        let (t, b) = (input::<T>(launch, 0, order * order), output::<T>(launch, 1, m * n));
        if m == 0 || n == 0 {
            return Ok(());
        }
        let (at, fill, op) = (side(self.side), uplo(self.uplo), trans(self.trans));
        let (unit, m, n, ld) = (diag(self.diag), int(m), int(n), int(order));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe {
            (calls.trmm)(blas, at, fill, op, unit, m, n, &alpha, t, ld, b, m, b, m)
        })
    }
}
