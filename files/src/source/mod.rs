//! Matrices that are read block by block, wherever their entries come from, and places where blocks
//! are written to.
//!
//! A [`Source`] is a matrix of real numbers of which any block can be had: a data set in a file, a
//! folder of such files, distances that are computed when they are asked for. Nothing of it is in
//! memory but what its [`BlockReader`]s hold; each thread has a reader of its own. A [`Sink`] takes
//! blocks.

mod error;
mod memory;
mod rounding;

use std::fmt::Debug;
use std::ops::Range;
use std::path::PathBuf;

pub use error::SourceError;
pub use memory::MemorySource;
pub use rounding::{last_place, rounding};
use tegula_kernels::element::Element;

/// Some rows and some columns of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The rows, from 0.
    pub rows: Range<usize>,
    /// The columns, from 0.
    pub columns: Range<usize>,
}

impl Block {
    /// Number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

/// Which entries are stored, and which follow from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every entry is stored by itself: a matrix that should be symmetric can be checked.
    Full,
    /// Entries above the diagonal alone are stored; those below are the same by construction, and a
    /// block below the diagonal may take longer to read. The diagonal is zero unless it is stored.
    Triangle,
}

/// The order of the matrix that has so many `entries` above its diagonal, if there is one.
pub(crate) fn order_of_triangle(entries: usize) -> Option<usize> {
    let twice = entries.checked_mul(2)?;
    let n = twice.isqrt() + 1;
    (n > 1 && n.checked_mul(n - 1) == Some(twice)).then_some(n)
}

/// A matrix of real numbers that is read by blocks.
pub trait Source: Debug + Send + Sync {
    /// What messages call it: the file, and the data set in it.
    fn name(&self) -> &str;

    /// Rows and columns.
    fn shape(&self) -> [usize; 2];

    /// How an entry is represented in the blocks that readers give.
    fn element(&self) -> Element;

    /// Which entries are stored.
    fn coverage(&self) -> Coverage {
        Coverage::Full
    }

    /// Rows and columns at multiples of which blocks should begin, so that nothing is read or
    /// decoded twice; `[1, 1]` if it does not matter.
    fn grain(&self) -> [usize; 2] {
        [1, 1]
    }

    /// Bytes per entry that reading takes from the disk, on average over the matrix; 0 if entries
    /// are in memory, or computed.
    fn stored_bytes_per_entry(&self) -> f64 {
        self.element().bytes() as f64
    }

    /// Bytes that one reader holds beside the blocks that it fills, at most.
    fn reader_bytes(&self) -> u64 {
        0
    }

    /// Bytes that opening it took from the disk: all of a text, which is not read again.
    fn bytes_read(&self) -> u64 {
        0
    }

    /// Names of the rows, if there are any.
    fn row_names(&self) -> Option<&[String]> {
        None
    }

    /// Names of the columns, if there are any.
    fn column_names(&self) -> Option<&[String]> {
        None
    }

    /// The files that are read beside the one that it was opened as.
    fn other_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// A reader for one thread.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError>;
}

/// Reads blocks of one [`Source`].
pub trait BlockReader: Send {
    /// Reads `block` into `entries`, row by row without gaps, each entry as [`Source::element`] in
    /// the byte order of this machine, and returns the number of bytes that were taken from the
    /// disk.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    ///
    /// # Panics
    /// If the block is not within the matrix or `entries` is not as long as it.
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError>;
}

/// A matrix that is written by blocks.
pub trait Sink: Debug + Send {
    /// Height and width of the blocks that it takes; the last ones may be smaller. They come row of
    /// blocks by row of blocks, each from left to right.
    fn grain(&self) -> [usize; 2];

    /// The kind of numbers that it takes.
    fn element(&self) -> Element;

    /// Writes `entries`, row by row without gaps, as `block`.
    ///
    /// # Errors
    /// If it cannot be written; the disk may be full.
    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError>;

    /// Ends the file and gives it its name: before that, nothing is there.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self: Box<Self>) -> Result<(), SourceError>;
}

/// The ranges of `0..length` that begin at multiples of `grain`.
pub fn pieces(length: usize, grain: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let grain = grain.max(1);
    (0..length).step_by(grain).map(move |start| start..(start + grain).min(length))
}

#[cfg(test)]
mod tests {
    use super::order_of_triangle;

    #[test]
    fn orders_follow_from_lengths() {
        for n in (2..200).chain([46_341, 1_043_192, 4_000_000_000]) {
            assert_eq!(order_of_triangle(n * (n - 1) / 2), Some(n));
            assert_eq!(order_of_triangle(n * (n - 1) / 2 + 1), None, "{n}");
        }
        let lengths = (0..1000).filter(|&length| order_of_triangle(length).is_some()).count();
        assert_eq!(lengths, 44, "1, 3, 6, ..., 990");
        assert_eq!(order_of_triangle(usize::MAX), None);
    }
}
