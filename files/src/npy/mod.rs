//! Matrices in NumPy's files (`.npy`): read block by block, written column by column.
//!
//! The format is that of NumPy's `numpy.lib.format`, versions 1 and 2: a magic string, the length
//! of the header, the header (a Python dictionary with `descr`, `fortran_order` and `shape`), the
//! entries without gaps. Read are little-endian real and complex numbers of both precisions, in
//! rows or in columns; a vector is one column.

mod header;
mod matrix;
mod write;

use std::io;
use std::path::PathBuf;

pub use header::Kind;
pub(crate) use header::{Header, Objection};
pub use matrix::NpyMatrix;
pub use write::NpyWriter;

/// Why a file is no matrix that can be read.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file does not begin as NumPy's files do, or its header says something else.
    #[error("{} is no .npy file of versions 1 or 2: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Numbers of a type that is not read.
    #[error(
        "{} holds numbers of type '{found}'; float32, float64, complex64 and complex128 (little-endian) \
         can be read: convert it by a.astype('<f8')",
        path.display()
    )]
    Type {
        /// The file.
        path: PathBuf,
        /// NumPy's name of the type.
        found: String,
    },
    /// An array that is no matrix.
    #[error("{} holds an array of shape {shape:?}; a matrix has two dimensions", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The shape.
        shape: Vec<usize>,
    },
    /// A pipe, a folder or a device.
    #[error("{} is no file on disk: blocks are read from it in any order", path.display())]
    NoFile {
        /// What it is called.
        path: PathBuf,
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "{} holds {found} bytes of entries where its header promises {expected}: it was cut short \
         or is damaged",
        path.display()
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes that follow from the shape.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// Complex numbers where real ones are asked for.
    #[error("{} holds complex numbers: ask for a complex precision", path.display())]
    Complex {
        /// The file.
        path: PathBuf,
    },
    /// An entry that is infinite or no number, or is so in the precision asked for.
    #[error(
        "{}: entry ({row}, {column}), counted from 0, is not finite in the precision asked for",
        path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
    },
}

#[cfg(test)]
mod tests;
