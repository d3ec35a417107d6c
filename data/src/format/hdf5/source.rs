//! A matrix in an HDF5 file, read block by block.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_kernels::element::Element;

use super::chunks::ChunkReader;
use super::entries::{Entries, Failure};
use super::guard::Fingerprint;
use super::headers::Bytes;
use super::kind::Kind;
use super::library::LibraryReader;
use super::storage::{Chunks, Storage, Wanted};
use super::{choose, condensed, guard, library, names};
use crate::source::{Block, BlockReader, Coverage, Source, SourceError};

/// Most bytes of decoded chunks that a reader of a triangle holds.
const MEMORY_OF_CHUNKS: usize = 32 << 20;

/// A data set of two dimensions, or of one with what is above the diagonal of a symmetric matrix, row by row.
#[derive(Clone, Debug)]
pub struct Hdf5Source {
    path: PathBuf,
    dataset: String,
    name: String,
    fingerprint: Fingerprint,
    shape: [usize; 2],
    kind: Kind,
    is_condensed: bool,
    place: Place,
    grain: [usize; 2],
    stored_bytes_per_entry: f64,
    names: [Option<Vec<String>>; 2],
}

/// Where readers find the entries.
#[derive(Clone, Debug)]
enum Place {
    Contiguous(u64),
    Chunked { chunks: Arc<Chunks>, fill: Vec<u8> },
    Library,
}

impl Hdf5Source {
    /// Opens the data set `dataset` of the file at `path`: a name, or groups and a name with slashes between.
    /// Without one it is the first of `values`, `distance`, `distances`, `matrix` and `data` that is a matrix
    /// of numbers, else the only one that is.
    ///
    /// Names are read from the data sets `rownames` and `colnames` (or `row_names`, `names`, `ids`, `labels`
    /// and the like) of the same group.
    ///
    /// # Errors
    /// If the file cannot be read, is no HDF5 file or was cut short; if there is no such data set, or none
    /// can be preferred; if it holds no matrix of real numbers; if there are not as many names as rows or
    /// columns.
    pub fn open(path: &Path, dataset: Option<&str>) -> Result<Self, SourceError> {
        let (file, fingerprint, superblock) = guard::open(path)?;
        let opened = library::open(path)?;
        let chosen = choose::choose(path, &opened, dataset)?;
        let names = names::read(path, &opened, &chosen)?;
        let stored = chosen.dataset.shape();
        let wanted = Wanted {
            path: &chosen.path,
            shape: if chosen.is_condensed { [1, stored[0]] } else { chosen.shape },
            rank: stored.len(),
            entry_bytes: chosen.kind.element.bytes(),
            is_resizable: is_resizable(path, &chosen)?,
        };
        let bytes = Bytes { file: &file, superblock };
        let storage = bytes.storage(wanted).map_err(|reason| SourceError::invalid(path, reason))?;
        let entries = wanted.shape[0] * wanted.shape[1];
        let taken = match &storage {
            Storage::Contiguous(_) => (entries * wanted.entry_bytes) as u64,
            Storage::Chunked(chunks) => {
                chunks.table.iter().map(|chunk| u64::from(chunk.size)).sum()
            }
            // Of the file nothing more is known than its length.
            Storage::Other => superblock.length.min((entries * wanted.entry_bytes) as u64),
        };
        let chunk = chosen.dataset.chunk_dims().and_then(|chunk| chunk[..].try_into().ok());
        let place = match storage {
            Storage::Contiguous(from) => Place::Contiguous(from),
            Storage::Chunked(chunks) => {
                Place::Chunked { chunks: Arc::new(chunks), fill: choose::fill_of(path, &chosen)? }
            }
            Storage::Other => Place::Library,
        };
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
            stored_bytes_per_entry: taken as f64 / entries.max(1) as f64,
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

    /// Whether blocks are read straight from the file, and not through the library for HDF5, which is slower.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        !matches!(self.place, Place::Library)
    }

    /// Columns of a row as it is stored.
    fn stored_columns(&self) -> usize {
        let n = self.shape[1];
        if self.is_condensed { n * (n - 1) / 2 } else { n }
    }

    /// Bytes of decoded chunks that a reader holds. Blocks of a matrix begin and end with its chunks; those of a
    /// triangle do not, and share chunks with the blocks beside them.
    fn memory_of_chunks(&self) -> usize {
        if self.is_condensed { MEMORY_OF_CHUNKS } else { 0 }
    }

    fn entries(&self) -> Result<Entries, SourceError> {
        let file = guard::reopen(&self.path, self.fingerprint)?;
        let columns = self.stored_columns();
        Ok(match &self.place {
            Place::Contiguous(from) => Entries::contiguous(file, *from, self.kind, columns),
            Place::Chunked { chunks, fill } => Entries::chunked(
                ChunkReader::new(file, Arc::clone(chunks), fill, self.memory_of_chunks()),
                self.kind,
                columns,
            ),
            Place::Library => {
                let opened = library::open(&self.path)?;
                let dataset = opened.dataset(&self.dataset);
                let dataset = dataset.map_err(|error| library::unreadable(&self.path, &error))?;
                let reader = LibraryReader::new(dataset, self.stored_bytes_per_entry);
                Entries::library(reader, self.kind, columns)
            }
        })
    }
}

/// Whether the data set may have more entries than it has.
fn is_resizable(path: &Path, chosen: &choose::Chosen) -> Result<bool, SourceError> {
    let most = chosen.dataset.max_shape().map_err(|error| library::unreadable(path, &error))?;
    Ok(most.iter().zip(chosen.dataset.shape()).any(|(most, length)| *most != Some(length)))
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
pub(super) struct Reader {
    pub(super) path: PathBuf,
    pub(super) dataset: String,
    pub(super) shape: [usize; 2],
    pub(super) is_condensed: bool,
    pub(super) entries: Entries,
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
