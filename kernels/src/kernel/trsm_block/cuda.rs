//! The step by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::TrsmBlock;
use crate::cuda::{Block, Products, Triangular};
use crate::option::{Diag, Side, Storev, Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> TrsmBlock<T> {
    /// Puts the step on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { storev, trans, m, n, k, offset, rows, .. } = self;
        let stored = storev.stored(m, n);
        let a = Block::<T>::input(launch, 0, stored.0, stored.1);
        let b = Block::<T>::output(launch, 2, rows, self.nrhs as usize);
        let (beside, above) = (b.part(offset, 0, k, b.cols()), b.part(0, 0, offset, b.cols()));
        // What is stored by rows is a lower triangle.
        let (entries, rest, uplo) = match storev {
            Storev::Columns => (a.part(offset, 0, k, k), a.part(0, 0, offset, k), Uplo::Upper),
            Storev::Rows => (a.part(0, offset, k, k), a.part(0, 0, k, offset), Uplo::Lower),
        };
        let triangle = Triangular { entries, uplo, diag: Diag::NonUnit, trans };
        let (products, one, minus) = (Products::of(launch)?, T::ONE, -T::ONE);
        if (uplo == Uplo::Upper) == (trans == Trans::No) {
            products.trsm(Side::Left, triangle, beside)?;
            return products.gemm(minus, (trans, rest), (Trans::No, beside), one, above);
        }
        products.gemm(minus, (trans, rest), (Trans::No, above), one, beside)?;
        products.trsm(Side::Left, triangle, beside)
    }
}
