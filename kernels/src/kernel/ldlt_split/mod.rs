//! Splits a solved panel of a factorisation `L D L'`: `W = A`, `A = A inv(D)`.
//!
//! Shapes: `A` and `W` are `m x n`, or both are stored transposed; `D` is the diagonal of an
//! `n x n` tile. Reads the diagonal of that tile and `A`; overwrites `A` and `W`. Cannot fail.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The split with its arguments; buffers `[D: R, A: RW, W: W]`.
#[derive(Clone, Copy, Debug)]
pub struct LdltSplit<T> {
    /// Whether `A` and `W` are stored transposed.
    pub is_transposed: bool,
    /// Rows of `A`.
    pub m: usize,
    /// Columns of `A`.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for LdltSplit<T> {
    const NAME: &'static str = "ldlt-split";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW, Access::W];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: product(&[m, n]), bytes: bytes::<T>(&[3 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { m, n, .. } = self;
        let d = TileRef::of(buffers, 0, n, n);
        let (rows, cols) = if self.is_transposed { (n, m) } else { (m, n) };
        let a = TileMut::of(buffers, 1, rows, cols);
        self.compute(d, a, TileMut::of(buffers, 2, rows, cols));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
