//! Scales a tile or a triangle of it: `A = alpha A`.
//!
//! Shape: `A` is `m x n`. Overwrites the part that counts, and neither reads nor writes the rest;
//! an `alpha` of zero overwrites without reading. Cannot fail. Source: LAPACK Users' Guide, xLASCL.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::{bytes, product};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;

/// The scaling with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Lascal<T> {
    /// The entries that count.
    pub part: Part,
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// The factor.
    pub alpha: T,
}

impl<T: Scalar> Codelet for Lascal<T> {
    const NAME: &'static str = "lascal";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: product(&[m, n]), bytes: bytes::<T>(&[2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.compute(TileMut::of(buffers, 0, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
