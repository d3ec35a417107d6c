//! The product block by block, each by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::UnmtrHb2st;
use crate::cuda::{Block, Products};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> UnmtrHb2st<T> {
    /// Puts the product on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { waves, group, rows, m, .. } = self;
        let (order, columns) = waves.multiplied_out(group);
        let q = Block::<T>::input(launch, 0, order, columns);
        let c = Block::output(launch, 1, rows, m);
        let [room] = Block::room(launch, [(order, m)])?;
        let products = Products::of(launch)?;
        for k in 0..waves.blocks(group) {
            let (first, rows, _) = waves.block(group, k);
            let (target, before) = (c.part(first, 0, rows, m), room.adjacent(rows, m));
            before.copy(launch, Trans::No, target)?;
            let block = q.part(0, k * order, rows, rows);
            products.gemm(T::ONE, (Trans::No, block), (Trans::No, before), T::ZERO, target)?;
        }
        Ok(())
    }
}
