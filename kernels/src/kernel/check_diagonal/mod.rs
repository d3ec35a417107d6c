//! Looks for a zero on the diagonal of a tile of a triangular matrix.
//!
//! Shape: `A` is `m x n`. Reads the diagonal alone. Fails with `SingularTriangle` if an entry is
//! zero; a NaN is none. Source: LAPACK Users' Guide, the check of xTRTRI and xTRTRS.

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
use crate::tile::TileRef;

pub(super) use list_entry::ListEntry;

/// The check with its arguments; buffers `[A: R]`.
#[derive(Clone, Copy, Debug)]
pub struct CheckDiagonal<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// First row of the tile in the whole matrix: added to the index that a failure reports.
    pub offset: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for CheckDiagonal<T> {
    const NAME: &'static str = "check-diagonal";
    const ACCESS: &'static [Access] = &[Access::R];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.m.min(self.n)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        Ok(self.compute(TileRef::of(buffers, 0, self.m, self.n))?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
