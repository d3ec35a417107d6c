//! A matrix in an HDF5 file, read block by block.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_kernels::element::Element;

use super::chunks::ChunkReader;
use super::entries::{Entries, Failure};
use super::guard::Fingerprint;
use super::headers::Bytes;
use super::holes::Hdf5Reading;
use super::kind::Kind;
#[cfg(feature = "hdf5")]
use super::libhdf5::SliceReader;
use super::library::LibraryReader;
use super::place::{self, Place};
use super::storage::Wanted;
use super::{choose, condensed, guard, library, names};
use crate::source::{Block, BlockReader, Coverage, Source, SourceError};

/// Most bytes of decoded chunks that a reader of a triangle holds.
const MEMORY_OF_CHUNKS: usize = 32 << 20;

/// A data set of two dimensions, or of one with what is above the diagonal of a symmetric matrix,
/// row by row.
#[derive(Clone, Debug)]
pub struct Hdf5Source {
    pub(super) path: PathBuf,
    pub(super) dataset: String,
    pub(super) name: String,
    pub(super) fingerprint: Fingerprint,
    pub(super) shape: [usize; 2],
    pub(super) kind: Kind,
    pub(super) is_condensed: bool,
    pub(super) place: Place,
    pub(super) grain: [usize; 2],
    pub(super) stored_bytes_per_entry: f64,
    pub(super) names: [Option<Vec<String>>; 2],
}

impl Hdf5Source {
    /// Opens the data set `dataset` of the file at `path`: a name, or groups and a name with
    /// slashes between. Without one it is the first of `values`, `distance`, `distances`, `matrix`
    /// and `data` that is a matrix of numbers, else the only one that is.
    ///
    /// Names are read from the data sets `rownames` and `colnames` (or `row_names`, `names`, `ids`,
    /// `labels` and the like) of the same group.
    ///
    /// # Errors
    /// If the file cannot be read, is no HDF5 file or was cut short; if there is no such data set,
    /// or none can be preferred; if it holds no matrix of real numbers, or a part of it was never
    /// written; if there are not as many names as rows or columns.
    pub fn open(path: &Path, dataset: Option<&str>) -> Result<Self, SourceError> {
        Self::open_as(path, dataset, Hdf5Reading::default())
    }

    /// The same, read in this way.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_as(
        path: &Path,
        dataset: Option<&str>,
        reading: Hdf5Reading,
    ) -> Result<Self, SourceError> {
        let (file, fingerprint, superblock) = guard::open(path)?;
        let opened = library::open(path)?;
        let chosen = choose::choose(path, &opened, dataset)?;
        let stored = chosen.dataset.shape();
        let wanted = Wanted {
            path: &choose::without_links(&opened, &chosen.path),
            shape: if chosen.is_condensed { [1, stored[0]] } else { chosen.shape },
            rank: stored.len(),
            entry_bytes: chosen.kind.element.bytes(),
            most: most(path, &chosen)?,
            memory_bytes: reading.memory_bytes,
        };
        let wrong = |reason: String| {
            SourceError::invalid(path, format!("data set '{}': {reason}", chosen.path))
        };
        let storage = Bytes { file: &file, superblock }.storage(wanted).map_err(wrong)?;
        let (place, taken) = place::settle(path, &chosen, (storage, wanted.shape), reading.fill)?;
        let names = names::read(path, &opened, &chosen, reading.memory_bytes)?;
        let entries = wanted.shape[0] * wanted.shape[1];
        let chunk = chosen.dataset.chunk_dims().and_then(|chunk| chunk[..].try_into().ok());
        Ok(Self {
            path: path.to_owned(),
            name: format!("{}, data set '{}'", path.display(), chosen.path),
            fingerprint,
            shape: chosen.shape,
            kind: chosen.kind,
            is_condensed: chosen.is_condensed,
            place,
            // Rows of a triangle begin anywhere in its chunks.
            grain: chunk.filter(|_| !chosen.is_condensed).unwrap_or([1, 1]),
            // Nothing is read where nothing was written, but it is not in memory either.
            stored_bytes_per_entry: taken.max(1) as f64 / entries.max(1) as f64,
            names,
            dataset: chosen.path,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The data set, with the groups that it is in.
    #[must_use]
    pub fn dataset(&self) -> &str {
        &self.dataset
    }

    /// Whether blocks are read straight from the file, and not through the library for HDF5, which
    /// is slower.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        matches!(self.place, Place::Contiguous(_) | Place::Chunked { .. } | Place::Filled(_))
    }

    /// Columns of a row as it is stored.
    fn stored_columns(&self) -> usize {
        let n = self.shape[1];
        if self.is_condensed { n * (n - 1) / 2 } else { n }
    }

    /// Bytes of decoded chunks that a reader holds. Blocks of a matrix begin and end with its
    /// chunks; those of a triangle do not, and share chunks with the blocks beside them.
    fn memory_of_chunks(&self) -> usize {
        if self.is_condensed { MEMORY_OF_CHUNKS } else { 0 }
    }

    fn entries(&self) -> Result<Entries, SourceError> {
        let columns = self.stored_columns();
        let file = || guard::reopen(&self.path, self.fingerprint);
        Ok(match &self.place {
            Place::Contiguous(from) => Entries::contiguous(file()?, *from, self.kind, columns),
            Place::Chunked { chunks, fill } => Entries::chunked(
                ChunkReader::new(file()?, Arc::clone(chunks), fill, self.memory_of_chunks()),
                self.kind,
                columns,
            ),
            Place::Filled(entry) => {
                file()?;
                Entries::filled(entry.clone(), self.kind)
            }
            Place::Library => {
                file()?;
                let opened = library::open(&self.path)?;
                let dataset = opened.dataset(&self.dataset);
                let dataset = dataset.map_err(|error| library::unreadable(&self.path, &error))?;
                let reader = LibraryReader::new(dataset, self.stored_bytes_per_entry);
                Entries::library(reader, self.kind, columns)
            }
            // It has the file open.
            #[cfg(feature = "hdf5")]
            Place::LibHdf5(dataset) => {
                let stored = self.stored_bytes_per_entry;
                let reader = SliceReader::new(dataset.clone(), self.kind.element, stored);
                Entries::libhdf5(reader, self.kind, columns)
            }
        })
    }
}

/// Rows and columns that the data set may grow to; none where there is no limit.
fn most(path: &Path, chosen: &choose::Chosen) -> Result<[Option<u64>; 2], SourceError> {
    let most = chosen.dataset.max_shape().map_err(|error| library::unreadable(path, &error))?;
    let most = |axis: usize| most.get(axis).copied().flatten().map(|length| length as u64);
    Ok(if chosen.is_condensed { [Some(1), most(0)] } else { [most(0), most(1)] })
}

impl Source for Hdf5Source {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn element(&self) -> Element {
        self.kind.element
    }

    fn coverage(&self) -> Coverage {
        if self.is_condensed { Coverage::Triangle } else { Coverage::Full }
    }

    fn grain(&self) -> [usize; 2] {
        self.grain
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        self.stored_bytes_per_entry
    }

    fn reader_bytes(&self) -> u64 {
        let Place::Chunked { chunks, .. } = &self.place else { return 0 };
        let image = chunks.shape[0] * chunks.shape[1] * self.kind.element.bytes();
        // What is held, and one as it is stored.
        (image.max(self.memory_of_chunks()) + image) as u64
    }

    fn row_names(&self) -> Option<&[String]> {
        self.names[0].as_deref()
    }

    fn column_names(&self) -> Option<&[String]> {
        self.names[1].as_deref()
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        let Self { path, shape, is_condensed, .. } = self;
        let entries = self.entries()?;
        let (path, dataset) = (path.clone(), self.dataset.clone());
        Ok(Box::new(Reader { path, dataset, shape: *shape, is_condensed: *is_condensed, entries }))
    }
}

/// Reads blocks of one data set.
#[derive(Debug)]
struct Reader {
    path: PathBuf,
    dataset: String,
    shape: [usize; 2],
    is_condensed: bool,
    entries: Entries,
}

impl BlockReader for Reader {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        let [m, n] = self.shape;
        let Block { rows, columns } = block;
        assert!(rows.end <= m && columns.end <= n, "{rows:?} x {columns:?} of {m} x {n}");
        let size = self.entries.entry_bytes();
        assert_eq!(entries.len(), block.entries() * size, "bytes of the block");
        let read = if self.is_condensed {
            condensed::read(&mut self.entries, n, block, entries)
        } else {
            self.entries.read(rows, columns, entries)
        };
        read.map_err(|failure| match failure {
            Failure::System(cause) => SourceError::read(&self.path, cause),
            Failure::Damaged(reason) => {
                let words = format!("data set '{}' is damaged: {reason}", self.dataset);
                SourceError::invalid(&self.path, words)
            }
        })
    }
}
