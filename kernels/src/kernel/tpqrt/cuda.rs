//! The factorization by blocks: one block of threads factors so many columns, cuBLAS does the rest.

use tegula_runtime::flow::{Failure, Launch};

use super::Tpqrt;
use crate::cuda::{Block, Panel, Products, Trapezoid, apply_stacked};
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Tpqrt<T> {
    /// Puts the factorization on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { below, top, m, n, .. } = self;
        let (r, b) = (Block::<T>::output(launch, 0, top, n), Block::output(launch, 1, m, n));
        let ib = self.ib.min(n);
        let t = Block::output(launch, 2, ib, n);
        t.clear(launch)?;
        let [copy, w] = Block::room(launch, [(m, ib), (ib, n)])?;
        let products = Products::of(launch)?;
        for first in (0..n).step_by(ib.max(1)) {
            let (size, next) = (ib.min(n - first), (first + ib).min(n));
            let (rows, left) = (below.rows(m, next), n - next);
            let part = Trapezoid { kind: below, block: b.part(0, first, rows, size), first };
            let (v, t) = (part.take(launch, copy)?, t.part(0, first, size, size));
            let head = r.part(first, first, size, size);
            Panel { head, below: Some(v), tau: None, t }.factor(launch)?;
            part.put(launch, v)?;
            let beside = (r.part(first, next, size, left), b.part(0, next, rows, left));
            apply_stacked(launch, &products, (v, t), Trans::Conj, beside, w)?;
        }
        Ok(())
    }
}
