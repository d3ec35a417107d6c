//! Writing a matrix to an HDF5 file by blocks.

use std::io;
use std::path::{Path, PathBuf};

use rust_hdf5::{FilterPipeline, H5Dataset, H5File, Hdf5Error, LibverBound};
use tegula_kernels::element::Element;

use super::encode::{ChunkEncoder, assert_block};
use super::kind::datatype;
use super::library::Raw;
use super::names;
use crate::atomic::Unfinished;
use crate::source::{Block, Sink, SourceError};

/// Bytes of the blocks that a file without chunks takes.
const BAND: usize = 16 << 20;

/// How the chunks of a file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// Shuffled, then deflated at this level, from 1 (fast) to 9 (small).
    Gzip(u8),
}

/// How a matrix is written.
#[derive(Clone, Debug)]
pub struct Hdf5Options {
    /// Name of the data set; without slashes.
    pub dataset: String,
    /// Rows and columns of a chunk, cut down to the matrix; none: the entries stand without gaps,
    /// and cannot be compressed.
    pub chunk: Option<[usize; 2]>,
    /// How chunks are compressed.
    pub compression: Compression,
    /// Names of the rows and of the columns, which become the data sets `rownames` and `colnames`.
    pub names: [Option<Vec<String>>; 2],
}

impl Default for Hdf5Options {
    fn default() -> Self {
        Self {
            dataset: "values".to_owned(),
            chunk: Some([256, 256]),
            compression: Compression::Gzip(4),
            names: [None, None],
        }
    }
}

/// A matrix that is written by blocks to an HDF5 file, which HDF5 from 1.8 on can read.
///
/// The file has another, hidden name until it is finished; if it is not, it is removed.
pub struct Hdf5Sink {
    path: PathBuf,
    shape: [usize; 2],
    element: Element,
    grain: [usize; 2],
    /// None if the entries stand without gaps.
    encoder: Option<ChunkEncoder>,
    is_compressed: bool,
    // In this order, they are closed before the file is removed.
    dataset: Option<H5Dataset>,
    file: Option<H5File>,
    unfinished: Unfinished,
}

impl Hdf5Sink {
    /// Begins the file `path` with a matrix of that shape.
    ///
    /// # Errors
    /// If the file cannot be created.
    ///
    /// # Panics
    /// If there are not as many names as rows or columns, or a chunk has no entries.
    pub fn create(
        path: &Path,
        shape: [usize; 2],
        element: Element,
        options: &Hdf5Options,
    ) -> Result<Self, SourceError> {
        let failed = |cause| SourceError::write(path, cause);
        if options.dataset.is_empty() || options.dataset.contains('/') {
            let reason =
                format!("'{}' is no name of a data set: no slashes in it", options.dataset);
            return Err(SourceError::invalid(path, reason));
        }
        let Some(unfinished) = Unfinished::new(path).map_err(failed)? else {
            let reason = "this is no file on disk; name a file that may be replaced";
            return Err(SourceError::invalid(path, reason));
        };
        let (grain, chunk) = pieces(shape, element, options.chunk);
        let made =
            H5File::options().no_locking().libver(LibverBound::V18).create(unfinished.path());
        let file = made.map_err(|error| failed(cause_of(&error)))?;
        let mut sink = Self {
            path: path.to_owned(),
            shape,
            element,
            grain,
            encoder: chunk
                .map(|chunk| ChunkEncoder::new(shape, chunk, element.bytes(), options.compression)),
            is_compressed: chunk.is_some() && options.compression != Compression::None,
            dataset: None,
            file: Some(file),
            unfinished,
        };
        sink.begin(chunk, options).map_err(|error| failed(cause_of(&error)))?;
        sink.unfinished.keep_permissions().map_err(failed)?;
        Ok(sink)
    }

    /// Writes the names and makes the data set.
    fn begin(&mut self, chunk: Option<[usize; 2]>, options: &Hdf5Options) -> Result<(), Hdf5Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let titles = ["rownames", "colnames"];
        for ((list, length), title) in options.names.iter().zip(self.shape).zip(titles) {
            if let Some(list) = list {
                assert_eq!(list.len(), length, "names in {title}");
                names::write(file, title, list)?;
            }
        }
        let mut builder =
            file.new_dataset::<u8>().datatype(datatype(self.element)).shape(self.shape);
        if let Some(chunk) = chunk {
            builder = builder.chunk(&chunk);
            if let Compression::Gzip(level) = options.compression {
                let filters = FilterPipeline::shuffle_deflate(
                    self.element.bytes() as u32,
                    level.clamp(1, 9).into(),
                );
                builder = builder.filter_pipeline(filters);
            }
        }
        self.dataset = Some(builder.create(&options.dataset)?);
        Ok(())
    }

    /// Something that compresses blocks for [`write_encoded`](Self::write_encoded), for threads
    /// beside that of the sink; none if the file has no chunks.
    #[must_use]
    pub fn encoder(&self) -> Option<ChunkEncoder> {
        self.encoder.clone()
    }

    /// Writes `block`, of which an [`encoder`](Self::encoder) made `encoded`.
    ///
    /// # Errors
    /// If it cannot be written; the disk may be full.
    ///
    /// # Panics
    /// If the block is none of those that the sink takes.
    pub fn write_encoded(&mut self, block: &Block, encoded: &[u8]) -> Result<(), SourceError> {
        assert_block(self.shape, self.grain, block);
        let place = [block.rows.start / self.grain[0], block.columns.start / self.grain[1]];
        let Some(dataset) = &self.dataset else { return Ok(()) };
        let written = if self.is_compressed {
            dataset.write_chunk_raw_at(&place, encoded, 0)
        } else {
            dataset.write_chunk_at(&place, encoded)
        };
        written.map_err(|error| SourceError::write(&self.path, cause_of(&error)))
    }

    /// Writes `block` where the file has no chunks.
    fn write_rows(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        assert_block(self.shape, self.grain, block);
        assert_eq!(entries.len(), block.entries() * self.element.bytes(), "bytes of the block");
        let written = match self.element.bytes() {
            1 => self.slice::<[u8; 1]>(block, entries),
            2 => self.slice::<[u8; 2]>(block, entries),
            4 => self.slice::<[u8; 4]>(block, entries),
            _ => self.slice::<[u8; 8]>(block, entries),
        };
        written.map_err(|error| SourceError::write(&self.path, cause_of(&error)))
    }

    fn slice<T: bytemuck::Pod>(&self, block: &Block, entries: &[u8]) -> Result<(), Hdf5Error> {
        let Some(dataset) = &self.dataset else { return Ok(()) };
        let starts = [block.rows.start, block.columns.start];
        let counts = [block.rows.len(), block.columns.len()];
        dataset.write_slice(&starts, &counts, bytemuck::cast_slice::<u8, Raw<T>>(entries))
    }

    /// Ends the file and gives it its name.
    fn end(&mut self) -> Result<(), SourceError> {
        let failed = |cause| SourceError::write(&self.path, cause);
        self.dataset = None;
        if let Some(file) = self.file.take() {
            file.close().map_err(|error| failed(cause_of(&error)))?;
        }
        self.unfinished.finish().map_err(failed)
    }
}

impl Sink for Hdf5Sink {
    fn grain(&self) -> [usize; 2] {
        self.grain
    }

    fn element(&self) -> Element {
        self.element
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        match &mut self.encoder {
            Some(encoder) => {
                let encoded = encoder.encode(block, entries);
                self.write_encoded(block, &encoded)
            }
            None => self.write_rows(block, entries),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), SourceError> {
        self.end()
    }
}

impl Drop for Hdf5Sink {
    fn drop(&mut self) {
        self.dataset = None;
        if let Some(file) = self.file.take() {
            // It is removed: whether it could be ended does not matter.
            let _ = file.close_no_sync();
        }
    }
}

impl std::fmt::Debug for Hdf5Sink {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, shape, element, grain, .. } = self;
        write!(out, "Hdf5Sink({}, {shape:?} of {element:?} by {grain:?})", path.display())
    }
}

/// The blocks that are taken, and the chunks, if there are any.
fn pieces(
    shape: [usize; 2],
    element: Element,
    chunk: Option<[usize; 2]>,
) -> ([usize; 2], Option<[usize; 2]>) {
    let has_entries = !shape.contains(&0);
    if let Some(chunk) = chunk.filter(|_| has_entries) {
        assert!(!chunk.contains(&0), "chunks of {chunk:?}");
        let chunk = [chunk[0].min(shape[0]), chunk[1].min(shape[1])];
        return (chunk, Some(chunk));
    }
    let width = shape[1].max(1);
    let height = BAND / (width * element.bytes());
    ([height.clamp(1, shape[0].max(1)), width], None)
}

/// What the system said, as far as the library tells.
fn cause_of(error: &Hdf5Error) -> io::Error {
    if let Hdf5Error::Io(cause) = error {
        return cause
            .raw_os_error()
            .map_or_else(|| io::Error::other(cause.to_string()), io::Error::from_raw_os_error);
    }
    let text = error.to_string();
    let number =
        text.rsplit_once("(os error ").and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
    number.map_or_else(|| io::Error::other(text), io::Error::from_raw_os_error)
}
