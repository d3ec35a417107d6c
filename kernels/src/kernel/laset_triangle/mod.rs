//! Fills a triangle of a tile: `a_ij = off_diagonal` in the triangle, `a_ii = diagonal`.
//!
//! Shape: `A` is `m x n`. Overwrites the triangle and its diagonal; neither reads nor writes the
//! rest. Cannot fail. Source: LAPACK Users' Guide, xLASET.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The filling with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct LasetTriangle<T> {
    /// The triangle that is filled.
    pub uplo: Uplo,
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// Value off the diagonal.
    pub off_diagonal: T,
    /// Value on the diagonal.
    pub diagonal: T,
}

impl<T: Scalar> Codelet for LasetTriangle<T> {
    const NAME: &'static str = "laset-triangle";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.m * self.n]) }
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
