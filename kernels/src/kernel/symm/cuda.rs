//! The product by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Symm;
use crate::cuda::{Blas, input, int, output, side, uplo};
use crate::option::Form;
use crate::scalar::Scalar;

impl<T: Scalar> Symm<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, alpha, beta, .. } = self;
        let order = self.order();
        let (a, b) = (input::<T>(launch, 0, order * order), input::<T>(launch, 1, m * n));
        let c = output::<T>(launch, 2, m * n);
        if m == 0 || n == 0 {
            return Ok(());
        }
        let (at, fill, m, n, ld) = (side(self.side), uplo(self.uplo), int(m), int(n), int(order));
        let (blas, calls) = Blas::of::<T>(launch)?;
        let product = if self.form == Form::Symmetric { calls.symm } else { calls.hemm };
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe { product(blas, at, fill, m, n, &alpha, a, ld, b, m, &beta, c, m) })
    }
}
