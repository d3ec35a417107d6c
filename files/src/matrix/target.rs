//! A file that is being written: it has another name until it is whole, and is compressed if its
//! name says so.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use tegula_kernels::element::Element;

use super::{Content, sidecar};
use crate::atomic::Unfinished;
use crate::source::{Block, SourceError};

/// Bytes that are written at once.
const CHUNK: usize = 1 << 18;

/// How bytes go to the file.
enum Out {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Bzip2(BzEncoder<BufWriter<File>>),
}

impl fmt::Debug for Out {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Gzip(_) => "Gzip",
            Self::Bzip2(_) => "Bzip2",
        })
    }
}

/// A file that takes the rows of a matrix from the first to the last.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    out: Out,
    /// None if it is a pipe or a device.
    unfinished: Option<Unfinished>,
    shape: [usize; 2],
    element: Element,
    next_row: usize,
    /// A text file beside it, and what goes into it.
    beside: Option<(PathBuf, String)>,
}

impl Target {
    /// Begins a binary file at `path`, with the names in a text file beside it.
    ///
    /// # Errors
    /// If it cannot be made, or the names do not fit that file.
    pub(super) fn binary(path: &Path, content: &Content<'_>) -> Result<Self, SourceError> {
        let beside = sidecar::prepare(path, content)?;
        let mut target = Self::new(path, content, Out::Plain)?;
        target.beside = beside;
        Ok(target)
    }

    /// Begins a text file at `path`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn text(path: &Path, content: &Content<'_>) -> Result<Self, SourceError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let compressed: fn(BufWriter<File>) -> Out = match ending.to_ascii_lowercase().as_str() {
            "gz" => |file| Out::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            "bz2" => |file| Out::Bzip2(BzEncoder::new(file, bzip2::Compression::default())),
            _ => Out::Plain,
        };
        Self::new(path, content, compressed)
    }

    fn new(
        path: &Path,
        content: &Content<'_>,
        wrap: fn(BufWriter<File>) -> Out,
    ) -> Result<Self, SourceError> {
        let created = if path == Path::new("/dev/stdout") {
            OpenOptions::new().write(true).open(path).map(|file| (file, None))
        } else {
            Unfinished::create(path)
        };
        let (file, unfinished) = created.map_err(|cause| SourceError::write(path, cause))?;
        let out = wrap(BufWriter::with_capacity(CHUNK, file));
        let Content { shape, element, .. } = *content;
        Ok(Self {
            path: path.to_owned(),
            out,
            unfinished,
            shape,
            element,
            next_row: 0,
            beside: None,
        })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Height and width of the blocks that it takes: rows.
    pub(super) fn grain(&self) -> [usize; 2] {
        [1, self.shape[1]]
    }

    /// The kind of numbers that it takes.
    pub(super) fn element(&self) -> Element {
        self.element
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), SourceError> {
        let written = match &mut self.out {
            Out::Plain(out) => out.write_all(bytes),
            Out::Gzip(out) => out.write_all(bytes),
            Out::Bzip2(out) => out.write_all(bytes),
        };
        written.map_err(|cause| SourceError::write(&self.path, cause))
    }

    /// The rows of `block`, each with its number and its entries.
    ///
    /// # Panics
    /// If they are not whole rows, or not the next ones.
    pub(super) fn rows<'a>(
        &mut self,
        block: &Block,
        entries: &'a [u8],
    ) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let [m, n] = self.shape;
        assert_eq!(block.columns, 0..n, "columns of a block of whole rows");
        assert_eq!(block.rows.start, self.next_row, "rows come in order");
        assert!(block.rows.end <= m, "{block:?} of {m} x {n}");
        assert_eq!(entries.len(), block.entries() * self.element.bytes(), "bytes of the block");
        self.next_row = block.rows.end;
        block.rows.clone().zip(entries.chunks_exact((n * self.element.bytes()).max(1)))
    }

    /// Ends the file, and gives it its name.
    ///
    /// # Errors
    /// If it cannot take the rest.
    ///
    /// # Panics
    /// If rows are missing.
    pub(super) fn finish(self) -> Result<(), SourceError> {
        assert_eq!(self.next_row, self.shape[0], "rows that came, and rows of the matrix");
        let path = self.path;
        let failed = |cause| SourceError::write(&path, cause);
        let out = match self.out {
            Out::Plain(out) => Ok(out),
            Out::Gzip(out) => out.finish(),
            Out::Bzip2(out) => out.finish(),
        };
        let file = out.and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
        let file = file.map_err(failed)?;
        if let Some(unfinished) = self.unfinished {
            file.sync_all().map_err(failed)?;
            if let Some((beside, text)) = self.beside {
                sidecar::write(&beside, &text)?;
            }
            unfinished.finish().map_err(failed)?;
        }
        Ok(())
    }
}
