//! The symmetric product by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Syrk;
use crate::cuda::{Blas, input, int, leading, output, trans, uplo};
use crate::option::Form;
use crate::scalar::Scalar;

impl<T: Scalar> Syrk<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { n, k, alpha, beta, .. } = self;
        let (a, c) = (input::<T>(launch, 0, n * k), output::<T>(launch, 1, n * n));
        if n == 0 {
            return Ok(());
        }
        let ld = leading(self.trans.stored(n, k).0);
        let (fill, op, n, k) = (uplo(self.uplo), trans(self.trans), int(n), int(k));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe {
            match self.form {
                Form::Symmetric => (calls.syrk)(blas, fill, op, n, k, &alpha, a, ld, &beta, c, n),
                Form::Hermitian => {
                    let (alpha, beta) = (alpha.re(), beta.re());
                    (calls.herk)(blas, fill, op, n, k, &alpha, a, ld, &beta, c, n)
                }
            }
        })
    }
}
