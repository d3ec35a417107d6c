//! The product by cuBLAS, on tensor cores.

use tegula_runtime::flow::{Failure, Launch};

use super::GemmTf32;
use crate::cuda::{Blas, DEFAULT_MATH, TF32_MATH};
use crate::scalar::Scalar;

impl<T: Scalar> GemmTf32<T> {
    /// Puts the product on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: a mode is a number, and nobody else calls with this stream's handle meanwhile.
        let set = |mode| blas.call(|blas| unsafe { (calls.set_math_mode)(blas, mode) });
        // A library from before there was TF32 does not know the mode, and rounds nothing.
        if set(TF32_MATH).is_err() {
            return self.0.launch(launch);
        }
        let product = self.0.launch(launch);
        set(DEFAULT_MATH).and(product)
    }
}
