//! The triangle, some reflectors at a time, from the products of their vectors by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::Larft;
use crate::cuda::{Block, Products, TOGETHER, extend_triangle, take_reflectors};
use crate::option::Storev;
use crate::scalar::Scalar;

impl<T: Scalar> Larft<T> {
    /// Puts the triangle on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { storev, m, n, k, offset, .. } = self;
        let ((rows, cols), high) = (storev.stored(m, n), m - offset);
        let v = Block::<T>::input(launch, 0, rows, cols);
        let (tau, t) = (Block::input(launch, 1, k, 1), Block::output(launch, 2, k, k));
        if k == 0 {
            return Ok(());
        }
        t.clear(launch)?;
        let width = TOGETHER.min(k);
        let [copy, squares] = Block::room(launch, [(high, k), (width, width)])?;
        let v = match storev {
            Storev::Columns => v.part(offset, 0, high, k),
            Storev::Rows => v.part(0, offset, k, high),
        };
        take_reflectors(launch, storev, v, copy)?;
        let products = Products::of(launch)?;
        for first in (0..k).step_by(TOGETHER) {
            let (high, width) = (high - first, TOGETHER.min(k - first));
            let vectors = (copy.part(first, 0, high, first), copy.part(first, first, high, width));
            extend_triangle(launch, &products, vectors, tau, squares, t)?;
        }
        Ok(())
    }
}
