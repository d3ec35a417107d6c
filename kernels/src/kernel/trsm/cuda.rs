//! The solve by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Trsm;
use crate::cuda::{Blas, diag, int, leading, output, side, trans, uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Trsm<T> {
    /// Puts the solve on the stream.
    ///
    /// # Panics
    /// If the tile of the triangle is too small for its order.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, ld, alpha, .. } = self;
        let ((t, found), order) = (launch.read::<T>(0), self.order());
        let needed = if order == 0 { 0 } else { ld * (order - 1) + order };
        assert!(ld >= order && found >= needed, "{found} numbers for order {order}, {ld} rows");
        let b = output::<T>(launch, 1, m * n);
        if m == 0 || n == 0 {
            return Ok(());
        }
        let (at, fill, op) = (side(self.side), uplo(self.uplo), trans(self.trans));
        let (unit, m, n, ld) = (diag(self.diag), int(m), int(n), leading(ld));
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: the buffers have the sizes that these shapes ask for.
        blas.call(|blas| unsafe {
            (calls.trsm)(blas, at, fill, op, unit, m, n, &alpha, t, ld, b, m)
        })
    }
}
