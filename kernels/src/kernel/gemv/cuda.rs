//! The product by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Gemv;
use crate::cuda::{Blas, input, int, leading, output, trans};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Gemv<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, alpha, beta, .. } = self;
        let (count_y, count_x) = self.trans.stored(m, n);
        let (a, x) = (input::<T>(launch, 0, m * n), input::<T>(launch, 1, count_x));
        let y = output::<T>(launch, 2, count_y);
        if count_y == 0 {
            return Ok(());
        }
        let ((blas, calls), op) = (Blas::of::<T>(launch)?, trans(self.trans));
        if count_x == 0 {
            // BLAS leaves y alone where there is nothing to add.
            let (same, rows, zero) = (trans(Trans::No), int(count_y), T::ZERO);
            // SAFETY: the buffer has this size.
            return blas.call(|blas| unsafe {
                (calls.geam)(blas, same, same, rows, 1, &zero, y, rows, &beta, y, rows, y, rows)
            });
        }
        let (m, n, ld) = (int(m), int(n), leading(m));
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe { (calls.gemv)(blas, op, m, n, &alpha, a, ld, x, 1, &beta, y, 1) })
    }
}
