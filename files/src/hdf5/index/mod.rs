//! Where each chunk of a data set stands: a table, filled from whichever index the file has.

mod extensible;
mod fixed;
mod tree;
mod tree_2;

use rust_hdf5::format::{BlockReader, FormatError, FormatResult};

use super::headers::Bytes;
use super::storage::{Chunk, NOWHERE};

/// Address, bytes and mask of left out filters of a chunk, as an index has them.
pub(super) type Found = (u64, u64, u32);
/// What an index has of a chunk that was never written.
const ABSENT: Found = (NOWHERE, 0, 0);

/// What to say of an index that is none.
pub(super) fn damaged() -> String {
    "it is damaged: its index of chunks cannot be read".to_owned()
}

/// A table of chunks that is being filled.
pub(super) struct Table {
    /// Rows and columns of a chunk.
    pub(super) shape: [usize; 2],
    /// How many chunks there are below and beside each other.
    pub(super) grid: [usize; 2],
    /// How many there may be when the data set has grown; none where there is no limit.
    pub(super) most: [Option<u64>; 2],
    /// Bytes of a chunk before it is filtered.
    pub(super) image: usize,
    pub(super) chunks: Vec<Chunk>,
}

impl Table {
    /// The place of the chunk whose first entry is at `offsets`; none if it is outside the matrix,
    /// as what a matrix lost when it shrank.
    fn index_of(&self, offsets: &[u64]) -> Result<Option<usize>, ()> {
        let [row, column] = match *offsets {
            [column] => [0, column],
            [row, column] => [row, column],
            _ => return Err(()),
        };
        let [height, width] = self.shape.map(|length| length as u64);
        if row % height != 0 || column % width != 0 {
            return Err(());
        }
        Ok(self.place([row / height, column / width]))
    }

    /// The place of the chunk in this row and column of chunks, if it is within the matrix.
    fn place(&self, [i, j]: [u64; 2]) -> Option<usize> {
        let (i, j) = (usize::try_from(i).ok()?, usize::try_from(j).ok()?);
        (i < self.grid[0] && j < self.grid[1]).then(|| i * self.grid[1] + j)
    }

    /// The number of the chunk at `place` in an array of all that there may be: the axis that grows
    /// without limit is the slowest, else that of the rows (`H5VM_array_offset_pre` and
    /// `H5VM_swizzle_coords` of HDF5).
    fn number(&self, place: usize) -> u64 {
        let [i, j] = [place / self.grid[1], place % self.grid[1]].map(|at| at as u64);
        match self.most {
            [Some(rows), None] => j * rows + i,
            [_, columns] => i * columns.unwrap_or(self.grid[1] as u64) + j,
        }
    }

    /// Notes that chunks which reach over the edge of a matrix of this `shape` went through no
    /// filter.
    pub(super) fn leave_edges_plain(&mut self, shape: [usize; 2], mask: u32) {
        for (place, chunk) in self.chunks.iter_mut().enumerate() {
            let ends = [place / self.grid[1] + 1, place % self.grid[1] + 1];
            if (0..2).any(|axis| ends[axis] * self.shape[axis] > shape[axis]) {
                chunk.mask = mask;
            }
        }
    }

    /// Entries of an array of all chunks that there may be, if they are limited.
    fn slots(&self) -> Option<u64> {
        self.most[0]?.checked_mul(self.most[1]?)
    }
}

/// Blocks of the format's own structures, read for the library's decoders.
pub(super) struct Blocks<'a>(pub(super) Bytes<'a>);

impl BlockReader for Blocks<'_> {
    fn read_block(&mut self, offset: u64, len: usize) -> FormatResult<Vec<u8>> {
        let read = self.0.up_to(offset, len as u64);
        read.ok_or_else(|| FormatError::InvalidData("a block past the end".to_owned()))
    }
}
