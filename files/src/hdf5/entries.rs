//! Reading rectangles of entries, however they are stored.

use std::fs::File;
use std::io;
use std::ops::Range;

use tegula_runtime::platform::ByPosition;

use super::chunks::ChunkReader;
use super::kind::Kind;
#[cfg(feature = "hdf5")]
use super::libhdf5::SliceReader;
use super::library::LibraryReader;

/// Why a block could not be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// The system refused.
    System(io::Error),
    /// The file is damaged; where and how.
    Damaged(String),
}

impl From<io::Error> for Failure {
    fn from(cause: io::Error) -> Self {
        Self::System(cause)
    }
}

/// Reads rectangles of a matrix as it is stored; a data set of one dimension is one row.
#[derive(Debug)]
pub(super) struct Entries {
    way: Way,
    kind: Kind,
    columns: usize,
}

#[derive(Debug)]
enum Way {
    Contiguous {
        file: File,
        from: u64,
    },
    Chunked(Box<ChunkReader>),
    /// Each is this one.
    Filled(Vec<u8>),
    Library(LibraryReader),
    #[cfg(feature = "hdf5")]
    LibHdf5(SliceReader),
}

impl Entries {
    /// Entries that stand in `file` without gaps from byte `from` on, in rows of `columns`.
    pub(super) fn contiguous(file: File, from: u64, kind: Kind, columns: usize) -> Self {
        Self { way: Way::Contiguous { file, from }, kind, columns }
    }

    /// Entries in chunks.
    pub(super) fn chunked(reader: ChunkReader, kind: Kind, columns: usize) -> Self {
        Self { way: Way::Chunked(Box::new(reader)), kind, columns }
    }

    /// Entries of which each is `entry`, as it would stand in the file.
    pub(super) fn filled(entry: Vec<u8>, kind: Kind) -> Self {
        Self { way: Way::Filled(entry), kind, columns: 0 }
    }

    /// Entries that the library reads.
    pub(super) fn library(reader: LibraryReader, kind: Kind, columns: usize) -> Self {
        Self { way: Way::Library(reader), kind, columns }
    }

    /// Entries that libhdf5 reads.
    #[cfg(feature = "hdf5")]
    pub(super) fn libhdf5(reader: SliceReader, kind: Kind, columns: usize) -> Self {
        Self { way: Way::LibHdf5(reader), kind, columns }
    }

    /// Bytes of an entry.
    pub(super) fn entry_bytes(&self) -> usize {
        self.kind.element.bytes()
    }

    /// Reads the entries in `rows` and `columns` into `entries`, row by row and in the byte order
    /// of this machine; returns the bytes taken from the file.
    pub(super) fn read(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        let taken = match &mut self.way {
            Way::Contiguous { file, from } => {
                let size = self.kind.element.bytes();
                let whole_rows = columns.len() == self.columns;
                let line = if whole_rows { entries.len() } else { columns.len() * size };
                for (index, line) in entries.chunks_exact_mut(line.max(1)).enumerate() {
                    let first = (rows.start + index) * self.columns + columns.start;
                    file.read_exact_at(line, *from + (first * size) as u64)?;
                }
                entries.len() as u64
            }
            Way::Chunked(reader) => reader.read(rows, columns, entries)?,
            Way::Filled(entry) => {
                entries.chunks_exact_mut(entry.len()).for_each(|to| to.copy_from_slice(entry));
                0
            }
            // It has put the bytes in order.
            Way::Library(reader) => return reader.read(rows, columns, entries),
            #[cfg(feature = "hdf5")]
            Way::LibHdf5(reader) => return reader.read(rows, columns, entries),
        };
        self.kind.to_native(entries);
        Ok(taken)
    }
}
