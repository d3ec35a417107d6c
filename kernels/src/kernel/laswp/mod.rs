//! Exchange of rows: the rows of a tile as the steps of an LU factorization exchanged them.
//!
//! Shape: the tile is `m x n`. For each `i` from `first` on in order, row `i` and row `pivots[i]`
//! change places; `backward`, in the opposite order, which undoes it. Cannot fail. Source: LAPACK's
//! `laswp`.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(in crate::kernel) use cuda::Exchange;
pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The exchange with its arguments; buffers `[pivots: R, A: RW]`, of which `pivots` are `u32`.
#[derive(Clone, Copy, Debug)]
pub struct Laswp<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// Steps that are left out: the first row that is exchanged for another.
    pub first: usize,
    /// Whether the exchange is undone.
    pub backward: bool,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Laswp<T> {
    const NAME: &'static str = "laswp";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[2 * self.m * self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileMut::of(buffers, 1, self.m, self.n);
        self.compute(buffers.read::<u32>(0), a);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
