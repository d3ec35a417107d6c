//! The triangle by cuBLAS, in columns of blocks.

use tegula_runtime::flow::{Failure, Launch};

use super::Gemmt;
use crate::cuda::{Block, Products, diagonal_room};
use crate::scalar::Scalar;

impl<T: Scalar> Gemmt<T> {
    /// Puts the product on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { uplo, trans_a, trans_b, n, k, alpha, beta } = self;
        let (rows, cols) = trans_a.stored(n, k);
        let a = Block::<T>::input(launch, 0, rows, cols);
        let (rows, cols) = trans_b.stored(k, n);
        let b = Block::<T>::input(launch, 1, rows, cols);
        let c = Block::output(launch, 2, n, n);
        let [room] = Block::room(launch, [diagonal_room(n)])?;
        let products = Products::of(launch)?;
        products.gemmt(launch, (uplo, alpha), (trans_a, a), (trans_b, b), (beta, c), room)
    }
}
