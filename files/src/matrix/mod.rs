//! Matrices of numbers with names of rows and columns, in the formats in which people keep
//! distances and tables: one file or folder per format, and the list of them.
//!
//! Text is parsed once, and its entries are kept in memory or, where they do not fit, in an unnamed
//! file; binary files are read in place, block by block. A text file may be compressed by gzip or
//! bzip2, which its first bytes tell. Text has to be UTF-8 or UTF-16: bytes that are neither are
//! refused, so that no name changes in silence. Whether names repeat, or those of the rows and of
//! the columns differ, is not checked here.

mod find;
mod hdf5;
mod input;
mod mothur;
mod name_list;
mod npy;
mod npz;
mod number;
mod phylip;
mod raw;
mod sidecar;
mod stored;
mod symmetry;
mod table;
mod target;
mod transfer;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tegula_kernels::element::Element;

pub use find::{Found, find_matrix, writable_format};
pub use sidecar::names_file;
pub use symmetry::{Loss, check_triangle};
pub use transfer::{Rounding, Transfer};

use crate::source::{Sink, Source, SourceError};

/// How matrices are read.
#[derive(Clone, Debug)]
pub struct ReadSettings<'a> {
    /// Most bytes that entries of a text may take in memory, or what of a binary file has to be
    /// held to read it.
    pub memory_bytes: u64,
    /// Folder for the entries that do not fit.
    pub scratch: PathBuf,
    /// Name of the format, if it is known.
    pub format: Option<&'a str>,
    /// What entries of HDF5 are that were never written; without it, a matrix that has such is
    /// refused.
    pub fill: Option<f64>,
}

/// What a written matrix holds besides its entries.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Names of the rows and of the columns.
    pub names: [Option<&'a [String]>; 2],
    /// How entries are given.
    pub element: Element,
}

/// Which names a format keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameStorage {
    /// Those of the rows and those of the columns.
    Both,
    /// One list, for rows and columns of a square matrix.
    One,
    /// One list, in a text file beside the matrix with `.names` after its name.
    Sidecar,
}

/// Begins a file: its path, and what it holds besides its entries.
pub type Create = fn(&Path, &Content<'_>) -> Result<Box<dyn Sink>, SourceError>;

/// How a format is written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// Begins a file.
    pub create: Create,
    /// Which names it keeps.
    pub names: NameStorage,
    /// Whether it has as many rows as columns.
    pub is_square: bool,
    /// Whether it keeps one triangle of a symmetric matrix and takes the diagonal for zero.
    pub is_triangle: bool,
    /// The only kind of numbers that it holds; any, if there is none.
    pub element: Option<Element>,
}

/// Opens a file: its path, the part of it that was asked for, and how to read.
pub type Open = fn(&Path, Option<&str>, &ReadSettings<'_>) -> Result<Box<dyn Source>, SourceError>;

/// A format of matrices in files.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What flags call it.
    pub name: &'static str,
    /// Ends of file names that mean it, with the dot; after those of text, `.gz` or `.bz2` may
    /// follow.
    pub endings: &'static [&'static str],
    /// Whether it is text.
    pub is_text: bool,
    /// Bytes with which every such file begins, if there are such.
    pub signature: &'static [u8],
    /// One line about it.
    pub summary: &'static str,
    /// Opens a file.
    pub open: Open,
    /// How it is written, if it is.
    pub write: Option<Writing>,
}

impl Format {
    /// The format called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().copied().find(|format| format.name == name)
    }
}

/// Every format.
pub static FORMATS: &[&Format] = &[
    &hdf5::FILE,
    &hdf5::TILES,
    &table::CSV,
    &table::TSV,
    &phylip::SQUARE,
    &phylip::LOWER,
    &mothur::COLUMN,
    &npy::SQUARE,
    &npy::CONDENSED,
    &npz::ARCHIVE,
    &raw::SQUARE,
];

/// Opens the matrix that `spec` names: a file, or a file and a part of it after a colon.
///
/// # Errors
/// If there is no such file, its format is not known, or it is not what its format says.
pub fn open_matrix(
    spec: impl AsRef<OsStr>,
    settings: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    find_matrix(spec, settings.format)?.open(settings)
}

/// Begins the matrix at `path` in the format called `format`, or the one that the end of the name
/// means. What is at `path` stays until [`Sink::finish`].
///
/// # Errors
/// If the format is not known or cannot hold such a matrix, or the file cannot be made.
pub fn create_matrix(
    path: &Path,
    format: Option<&str>,
    shape: [usize; 2],
    names: [Option<&[String]>; 2],
    element: Element,
) -> Result<Box<dyn Sink>, SourceError> {
    let (format, writing) = writable_format(path, format)?;
    for (names, length) in names.iter().zip(shape) {
        assert!(names.is_none_or(|names| names.len() == length), "number of names");
    }
    let refused = |reason: String| Err(SourceError::invalid(path, reason));
    if writing.is_square && shape[0] != shape[1] {
        let [rows, columns] = shape;
        return refused(format!(
            "{} holds square matrices, and this one is {rows} x {columns}: write csv or npy",
            format.name
        ));
    }
    if let Some(only) = writing.element.filter(|&only| only != element) {
        let (only, asked) = (only.name(), element.name());
        return refused(format!("{} holds {only} numbers alone, not {asked}", format.name));
    }
    (writing.create)(path, &Content { shape, names, element })
}
