//! The product by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Syr2k;
use crate::cuda::{Blas, input, int, leading, output, trans, uplo};
use crate::option::Form;
use crate::scalar::Scalar;

impl<T: Scalar> Syr2k<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { n, k, alpha, beta, .. } = self;
        let (a, b) = (input::<T>(launch, 0, n * k), input::<T>(launch, 1, n * k));
        let c = output::<T>(launch, 2, n * n);
        if n == 0 {
            return Ok(());
        }
        let ld = leading(self.trans.stored(n, k).0);
        let (fill, op, n, k) = (uplo(self.uplo), trans(self.trans), int(n), int(k));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe {
            match self.form {
                Form::Symmetric => {
                    (calls.syr2k)(blas, fill, op, n, k, &alpha, a, ld, b, ld, &beta, c, n)
                }
                Form::Hermitian => {
                    let beta = beta.re();
                    (calls.her2k)(blas, fill, op, n, k, &alpha, a, ld, b, ld, &beta, c, n)
                }
            }
        })
    }
}
