//! Opening files with the library, and reading blocks through it where the entries are stored in a
//! rare way.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use rust_hdf5::{ByteOrder, DatatypeMessage, H5Dataset, H5File, H5Type};

use super::entries::Failure;
use crate::source::SourceError;

/// An entry as an array of bytes, which may stand anywhere in memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Raw<T>(T);

impl<T: Pod> H5Type for Raw<T> {
    fn hdf5_type() -> DatatypeMessage {
        DatatypeMessage::FixedPoint {
            size: size_of::<T>() as u32,
            byte_order: ByteOrder::LittleEndian,
            signed: false,
            bit_offset: 0,
            bit_precision: 8 * size_of::<T>() as u16,
        }
    }

    fn element_size() -> usize {
        size_of::<T>()
    }
}

/// Opens the file at `path` for reading.
///
/// # Errors
/// If the library cannot read it.
pub(super) fn open(path: &Path) -> Result<H5File, SourceError> {
    // No lock is taken: reading does no harm, and file systems over a network often have none.
    H5File::options().no_locking().open(path).map_err(|error| unreadable(path, &error))
}

/// The library says that `path` cannot be read.
pub(super) fn unreadable(path: &Path, error: &rust_hdf5::Hdf5Error) -> SourceError {
    SourceError::invalid(
        path,
        format!("it is damaged, or HDF5 of a kind that is not read: {error}"),
    )
}

/// Reads blocks through the library.
pub(super) struct LibraryReader {
    dataset: H5Dataset,
    rank: usize,
    /// Bytes that the file takes for one entry.
    stored: f64,
}

impl LibraryReader {
    /// A reader of `dataset`, of which the file holds `stored` bytes per entry.
    pub(super) fn new(dataset: H5Dataset, stored: f64) -> Self {
        let rank = dataset.ndims();
        Self { dataset, rank, stored }
    }

    /// Reads the entries in `rows` and `columns` into `entries`, row by row, in the byte order of
    /// this machine.
    pub(super) fn read(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        match self.dataset.element_size() {
            1 => self.slice::<[u8; 1]>(rows, columns, entries),
            2 => self.slice::<[u8; 2]>(rows, columns, entries),
            4 => self.slice::<[u8; 4]>(rows, columns, entries),
            _ => self.slice::<[u8; 8]>(rows, columns, entries),
        }
    }

    fn slice<T: Pod>(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        let entries = bytemuck::cast_slice_mut::<u8, Raw<T>>(entries);
        let (starts, counts) = ([rows.start, columns.start], [rows.len(), columns.len()]);
        if entries.is_empty() {
            return Ok(0);
        }
        let from = 2 - self.rank;
        self.dataset
            .read_slice_into(entries, &starts[from..], &counts[from..])
            .map_err(|error| Failure::Damaged(error.to_string()))?;
        Ok((entries.len() as f64 * self.stored) as u64)
    }
}

impl std::fmt::Debug for LibraryReader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LibraryReader").field("rank", &self.rank).finish_non_exhaustive()
    }
}
