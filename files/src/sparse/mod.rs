//! Sparse matrices in files: Matrix Market's coordinates, Harwell-Boeing and Rutherford-Boeing; and
//! dense ones in Matrix Market's arrays, which go with them.
//!
//! What a header promises is held against what is there: nothing is allocated for entries before
//! they were read. Entries of the same place are added up. Of symmetric matrices one triangle is in
//! the file, and both are returned.

mod entries;
mod fortran;
mod harwell_boeing;
mod lines;
mod matrix_market;

use std::path::Path;

use tegula_kernels::sparse::SparseMatrix;

use crate::source::SourceError;
use lines::Lines;
pub use matrix_market::{write_array, write_coordinates};

/// What a Matrix Market file begins with.
const BANNER: &str = "%%matrixmarket";

/// A sparse matrix and what its file says of it.
#[derive(Clone, Debug)]
pub struct SparseFile {
    /// The matrix, both triangles of it if it is symmetric.
    pub matrix: SparseMatrix<f64>,
    /// The format in words, such as `Matrix Market, real, symmetric`.
    pub format: String,
}

/// A dense matrix, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseFile {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Its entries.
    pub entries: Vec<f64>,
}

/// Reads the sparse matrix at `path`, which the first lines tell to be in Matrix Market's or in
/// Harwell and Boeing's format, and which may take `memory_bytes` with what reading needs.
///
/// # Errors
/// If it cannot be read, is damaged, holds complex numbers or what is not finite, or needs more
/// memory: with the line, what is wrong with it, and what to do.
pub fn read_sparse(path: &Path, memory_bytes: u64) -> Result<SparseFile, SourceError> {
    let mut lines = Lines::open(path, memory_bytes)?;
    let first = lines.expect("a header")?.to_owned();
    if is_matrix_market(&first) {
        matrix_market::read_coordinates(lines, &first)
    } else {
        harwell_boeing::read(lines)
    }
}

/// Whether the text file at `path` begins as those of Matrix Market do.
///
/// # Errors
/// If it cannot be read, or is no text.
pub fn is_matrix_market_file(path: &Path) -> Result<bool, SourceError> {
    let mut lines = Lines::open(path, 1 << 20)?;
    Ok(is_matrix_market(lines.expect("a header")?))
}

/// Reads the matrix at `path` in Matrix Market's format, coordinates or array, as a dense one.
///
/// # Errors
/// As [`read_sparse`].
pub fn read_dense(path: &Path, memory_bytes: u64) -> Result<DenseFile, SourceError> {
    let mut lines = Lines::open(path, memory_bytes)?;
    let first = lines.expect("a header")?.to_owned();
    if !is_matrix_market(&first) {
        return Err(
            lines.fault("no file of Matrix Market: its first line begins with %%MatrixMarket")
        );
    }
    matrix_market::read_dense(lines, &first)
}

fn is_matrix_market(first: &str) -> bool {
    first.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}
