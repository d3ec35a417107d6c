//! The step by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::TrsmColumn;
use crate::cuda::{Block, Products, Triangular};
use crate::option::{Side, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> TrsmColumn<T> {
    /// Puts the step on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { uplo, trans, diag, m, n, k, first, .. } = self;
        let (t, b) = (Block::<T>::input(launch, 0, m, k), Block::<T>::output(launch, 1, m, n));
        let (rest, one, minus) = (self.rest(), T::ONE, -T::ONE);
        let entries = t.part(first, 0, k, k);
        let triangle = Triangular { entries, uplo, diag, trans };
        let beside = b.part(first, 0, k, n);
        let (t2, b2) = (t.part(rest.start, 0, rest.len(), k), b.part(rest.start, 0, rest.len(), n));
        let products = Products::of(launch)?;
        if trans == Trans::No {
            products.trsm(Side::Left, triangle, beside)?;
            return products.gemm(minus, (trans, t2), (Trans::No, beside), one, b2);
        }
        products.gemm(minus, (trans, t2), (Trans::No, b2), one, beside)?;
        products.trsm(Side::Left, triangle, beside)
    }
}
