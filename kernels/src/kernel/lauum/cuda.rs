//! The product by cuBLAS, of a full copy of the triangle with the triangle.

use tegula_runtime::flow::{Failure, Launch};

use super::Lauum;
use crate::cuda::{Blas, Triangles, Verdict, diag, int, output, side, trans, uplo};
use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Lauum<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let n = self.n;
        let a = output::<T>(launch, 0, n * n);
        if n == 0 {
            return Ok(());
        }
        // Nothing can fail: the verdict stays 0.
        let verdict = Verdict::new(launch)?;
        let triangles = Triangles::new(launch, n, a, self.uplo, Diag::NonUnit)?;
        triangles.take(launch)?;
        // L' times the copy of L, or the copy of U times U'.
        let at = if self.uplo == Uplo::Lower { Side::Left } else { Side::Right };
        let (at, fill, op, unit) =
            (side(at), uplo(self.uplo), trans(Trans::Conj), diag(Diag::NonUnit));
        let (full, n, one) = (triangles.full, int(n), T::ONE);
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: both matrices are `n x n`.
        blas.call(|blas| unsafe {
            (calls.trmm)(blas, at, fill, op, unit, n, n, &one, a, n, full, n, full, n)
        })?;
        triangles.put(launch, &verdict)
    }
}
