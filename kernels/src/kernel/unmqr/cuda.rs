//! The product by cuBLAS, with a copy of the reflectors that has their ones and zeros.

use tegula_runtime::flow::{Failure, Launch};

use super::Unmqr;
use crate::cuda::{Block, Products, apply, take_reflectors};
use crate::option::{Side, Storev, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> Unmqr<T> {
    /// Puts the product on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { side, storev, m, n, order, width, k, .. } = self;
        let (offset, (_, trans)) = (self.offset(), self.on_the_left());
        let (stored, rows) = (storev.stored(order, width), order - offset);
        let v = Block::<T>::input(launch, 0, stored.0, stored.1);
        let (t, c) = (Block::input(launch, 1, k, k), Block::output(launch, 2, m, n));
        let lines = if side == Side::Left { n } else { m };
        let [copy, w] = Block::room(launch, [(rows, k), (k, lines)])?;
        let v = match storev {
            Storev::Columns => v.part(offset, 0, rows, k),
            Storev::Rows => v.part(0, offset, k, rows),
        };
        take_reflectors(launch, storev, v, copy)?;
        let (c, trans) = match (side, trans) {
            (Side::Left, _) => (c.part(offset, 0, rows, n), trans),
            // What the block does to the transpose, transposed.
            (Side::Right, Trans::No) => (c.part(0, offset, m, rows), Trans::Conj),
            (Side::Right, _) => (c.part(0, offset, m, rows), Trans::No),
        };
        apply(&Products::of(launch)?, side, (copy, t), trans, c, w)
    }
}
