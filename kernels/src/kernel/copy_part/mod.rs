//! Copies a block of a tile into another tile: what a change of tile sizes is made of.
//!
//! Shapes: `A` and `B` are tiles of any shape, the block lies in both. Reads the block of `A`,
//! overwrites that of `B`, and nothing else. Cannot fail.

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
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// A block of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Rows and columns of the tile.
    pub tile: (u32, u32),
    /// First row and column of the block.
    pub first: (u32, u32),
}

impl Block {
    fn shape(self) -> (usize, usize) {
        (self.tile.0 as usize, self.tile.1 as usize)
    }

    fn origin(self) -> (usize, usize) {
        (self.first.0 as usize, self.first.1 as usize)
    }
}

/// The copy with its arguments; buffers `[A: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct CopyPart<T> {
    /// Where the block lies in `A`.
    pub from: Block,
    /// Where it lies in `B`.
    pub to: Block,
    /// Rows and columns of the block.
    pub size: (u32, u32),
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> CopyPart<T> {
    fn size(&self) -> (usize, usize) {
        (self.size.0 as usize, self.size.1 as usize)
    }
}

impl<T: Scalar> Codelet for CopyPart<T> {
    const NAME: &'static str = "copy-part";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (rows, cols) = self.size();
        Cost { flops: 0.0, bytes: bytes::<T>(&[2 * rows * cols]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let ((m, n), (rows, cols)) = (self.from.shape(), self.to.shape());
        let a = TileRef::of(buffers, 0, m, n);
        self.compute(a, TileMut::of(buffers, 1, rows, cols));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
