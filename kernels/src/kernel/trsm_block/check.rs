//! The look at a triangle's diagonal before a solve.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::error::NumericalError;
use crate::kernel::bytes;
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// Fails with `SingularTriangle` if a diagonal entry of the block's triangle is zero; buffers
/// `[R: R, CHECKED: RW]`, of which the second holds nothing: solves read it, and so do not run
/// after a failure.
#[derive(Clone, Copy, Debug)]
pub struct CheckBlock<T> {
    /// Whether the block is stored by columns or rows.
    pub storev: Storev,
    /// Rows of the block, or columns if it is stored by rows.
    pub m: usize,
    /// Columns of the block, or rows.
    pub n: usize,
    /// Order of its triangle, at most `n`.
    pub k: usize,
    /// Row of the triangle's first entry, in the block and in the whole matrix.
    pub offset: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for CheckBlock<T> {
    const NAME: &'static str = "check-block";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.k]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { storev, k, offset, .. } = self;
        let (rows, cols) = storev.stored(self.m, self.n);
        let a = storev.in_columns(TileRef::<T>::of(buffers, 0, rows, cols));
        match (0..k).find(|&j| a.at(offset + j, j) == T::ZERO) {
            Some(j) => Err(NumericalError::SingularTriangle { index: offset + j + 1 }.into()),
            None => Ok(()),
        }
    }
}
