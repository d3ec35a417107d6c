//! The multiplication by cuBLAS: `E - V (T V1^H)`, with the first `n` columns `E` of the identity
//! and the first `n` rows `V1` of `V`.

use tegula_runtime::flow::{Failure, Launch};

use super::Ungqr;
use crate::cuda::{Block, Products, Triangular, take_reflectors};
use crate::kernel::laset::Laset;
use crate::option::{Diag, Side, Storev, Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Ungqr<T> {
    /// Puts the multiplication on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { storev, m, n, k, offset, .. } = self;
        let ((rows, cols), high) = (storev.stored(m, n), m - offset);
        let a = Block::<T>::output(launch, 0, rows, cols);
        let entries = Block::input(launch, 1, k, k);
        let [v, w, q] = Block::room(launch, [(high, k), (k, n), (high, n)])?;
        let (above, panel, trans) = match storev {
            Storev::Columns => (a.part(0, 0, offset, n), a.part(offset, 0, high, n), Trans::No),
            Storev::Rows => (a.part(0, 0, n, offset), a.part(0, offset, n, high), Trans::Yes),
        };
        let reflectors = match storev {
            Storev::Columns => panel.part(0, 0, high, k),
            Storev::Rows => panel.part(0, 0, k, high),
        };
        take_reflectors(launch, storev, reflectors, v)?;
        above.clear(launch)?;
        let identity = Laset { m: high, n, off_diagonal: T::ZERO, diagonal: T::ONE };
        identity.fill(launch, q.pointer())?;
        let products = Products::of(launch)?;
        if k > 0 {
            w.copy(launch, Trans::Conj, v.part(0, 0, n, k))?;
            let (uplo, diag) = (Uplo::Upper, Diag::NonUnit);
            let t = Triangular { entries, uplo, diag, trans: Trans::No };
            products.trmm(Side::Left, t, w)?;
            products.gemm(-T::ONE, (Trans::No, v), (Trans::No, w), T::ONE, q)?;
        }
        panel.copy(launch, trans, q)
    }
}
