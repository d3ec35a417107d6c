//! The product by blocks of reflectors, with cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Tpmqrt;
use crate::cuda::{Block, Products, Trapezoid, apply_stacked};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Tpmqrt<T> {
    /// Puts the product on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { below, trans, top, m, n, k, .. } = self;
        let ib = self.ib.min(k);
        let (v, t) = (Block::<T>::input(launch, 0, m, k), Block::input(launch, 1, ib, k));
        let (c1, c2) = (Block::output(launch, 2, top, n), Block::output(launch, 3, m, n));
        let [copy, w] = Block::room(launch, [(m, ib), (ib, n)])?;
        let (products, blocks) = (Products::of(launch)?, k.div_ceil(ib.max(1)));
        for step in 0..blocks {
            let first = ib * if trans == Trans::No { blocks - 1 - step } else { step };
            let size = ib.min(k - first);
            let rows = below.rows(m, first + size);
            let part = Trapezoid { kind: below, block: v.part(0, first, rows, size), first };
            let block = (part.take(launch, copy)?, t.part(0, first, size, size));
            let parts = (c1.part(first, 0, size, n), c2.part(0, 0, rows, n));
            apply_stacked(launch, &products, block, trans, parts, w)?;
        }
        Ok(())
    }
}
