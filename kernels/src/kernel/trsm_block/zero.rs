//! Rows of a block set to zero.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::kernel::bytes;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// Sets the rows from `first` to before `end` of an `m x n` tile to zero; buffers `[B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct ZeroRows<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// The first row that becomes zero.
    pub first: usize,
    /// The first row after those, at most `m`.
    pub end: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for ZeroRows<T> {
    const NAME: &'static str = "zero-rows";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[(self.end - self.first) * self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { m, n, first, end, .. } = self;
        TileMut::<T>::of(buffers, 0, m, n).part(first, 0, end - first, n).apply(|_| T::ZERO);
        Ok(())
    }
}
