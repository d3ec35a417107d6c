//! A matrix in a file, of which any block can be had in the numbers of a run: NumPy's files, and
//! every format in which matrices of distances are read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use tegula_files::matrix::{ReadSettings, find_matrix};
use tegula_files::npy::NpyMatrix;
use tegula_files::source::{Block, BlockReader, Source, SourceError};
use tegula_files::{Digest, digest_bytes};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_runtime::flow::Failure;
use tegula_runtime::random::SplitMix64;

use crate::files::check_side_files;

/// Format of which complex numbers are read, and a vector as a column.
const NPY: &str = "npy";
/// Most columns that are read at once, of a file that likes many.
const MOST_COLUMNS: usize = 1024;
/// Entries of a matrix of which a sample has all.
const FEW: usize = 1 << 18;
/// Blocks that the sample of a larger one has.
const BLOCKS: usize = 16;
/// Most rows and columns of such a block.
const EDGE: usize = 64;

/// A matrix in a file.
#[derive(Debug)]
pub(super) struct MatrixFile {
    path: PathBuf,
    contents: Contents,
}

enum Contents {
    Npy(NpyMatrix),
    /// Another format, with the readers that nobody uses at the moment.
    Other(Box<dyn Source>, Mutex<Vec<Box<dyn BlockReader>>>),
}

impl fmt::Debug for Contents {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npy(matrix) => matrix.fmt(out),
            Self::Other(source, _) => source.fmt(out),
        }
    }
}

impl MatrixFile {
    /// Opens the matrix that `spec` names; entries of a text, or what has to be held of a binary
    /// file, take at most `memory_bytes`, and entries that were never written are `fill`, or
    /// refused.
    ///
    /// # Errors
    /// If it cannot be read, or is no matrix of numbers.
    pub(super) fn open(spec: &Path, memory_bytes: u64, fill: Option<f64>) -> Result<Self> {
        let found = find_matrix(spec, None)?;
        let contents = if found.format.name == NPY {
            Contents::Npy(NpyMatrix::open(&found.path)?)
        } else {
            let scratch = std::env::temp_dir();
            let settings = ReadSettings { memory_bytes, scratch, format: None, fill };
            let source = found.open(&settings)?;
            check_side_files(&*source, &found.path)?;
            Contents::Other(source, Mutex::default())
        };
        Ok(Self { path: found.path, contents })
    }

    /// Rows and columns.
    pub(super) fn shape(&self) -> (usize, usize) {
        match &self.contents {
            Contents::Npy(matrix) => matrix.shape(),
            Contents::Other(source, _) => source.shape().into(),
        }
    }

    /// Whether it holds complex numbers.
    pub(super) fn is_complex(&self) -> bool {
        matches!(&self.contents, Contents::Npy(matrix) if matrix.kind().is_complex())
    }

    /// What messages call it.
    pub(super) fn name(&self) -> String {
        match &self.contents {
            Contents::Npy(matrix) => matrix.path().display().to_string(),
            Contents::Other(source, _) => source.name().to_owned(),
        }
    }

    /// Columns at multiples of which blocks as high as the matrix should begin, but at least
    /// `least`.
    pub(super) fn columns_at_once(&self, least: usize) -> usize {
        match &self.contents {
            Contents::Npy(_) => least,
            Contents::Other(source, _) => source.grain()[1].clamp(least, MOST_COLUMNS),
        }
    }

    /// A digest of the shape and of all entries, or of some blocks of a large matrix.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn sample(&self) -> Result<Digest> {
        if self.is_complex() { self.sampled::<c64>() } else { self.sampled::<f64>() }
    }

    fn sampled<T: Scalar>(&self) -> Result<Digest> {
        let (m, n) = self.shape();
        let is_small = m.saturating_mul(n) <= FEW;
        let (blocks, edge) = if is_small { (1, m.max(n)) } else { (BLOCKS, EDGE) };
        let (rows, columns) = (m.min(edge), n.min(edge));
        let mut stream = SplitMix64::new(0);
        let mut place = |free: usize| (stream.uniform() * (free + 1) as f64) as usize;
        let mut seen = [m, n].map(|size| (size as u64).to_le_bytes()).concat();
        for _ in 0..blocks {
            let first = (place(m - rows), place(n - columns));
            let block = self.block::<T>(first, (rows, columns), |_, _| false);
            let block = block.map_err(anyhow::Error::from_boxed)?;
            seen.extend_from_slice(digest_bytes(bytemuck::cast_slice(&block)).as_bytes());
        }
        Ok(digest_bytes(&seen))
    }

    /// The block of `rows x columns` entries from entry `(i, j)` on, column by column; entries for
    /// which `counts` says no may be anything.
    ///
    /// # Errors
    /// If the file cannot be read, or an entry that counts is not finite as a number of type `T`.
    ///
    /// # Panics
    /// If the block is not within the matrix.
    pub(super) fn block<T: Scalar>(
        &self,
        (i, j): (usize, usize),
        (rows, columns): (usize, usize),
        counts: impl Fn(usize, usize) -> bool,
    ) -> Result<Vec<T>, Failure> {
        let (source, idle) = match &self.contents {
            Contents::Npy(matrix) => return Ok(matrix.block((i, j), (rows, columns), counts)?),
            Contents::Other(source, idle) => (source, idle),
        };
        let block = Block { rows: i..i + rows, columns: j..j + columns };
        let numbers = numbers((&**source, idle), &block)?;
        let mut entries = vec![T::ZERO; rows * columns];
        for (line, numbers) in numbers.chunks_exact(columns.max(1)).enumerate() {
            for (step, &number) in numbers.iter().enumerate() {
                let entry = T::from_f64(number);
                let (row, column) = (i + line, j + step);
                if !entry.is_finite() && counts(row, column) {
                    let reason = format!(
                        "entry ({row}, {column}), counted from 0, is not finite in the precision asked for"
                    );
                    return Err(SourceError::invalid(&self.path, reason).into());
                }
                entries[line + step * rows] = entry;
            }
        }
        Ok(entries)
    }
}

/// The entries of `block` of `source`, row by row, by one of the readers that are `idle` or another
/// one.
fn numbers(
    (source, idle): (&dyn Source, &Mutex<Vec<Box<dyn BlockReader>>>),
    block: &Block,
) -> Result<Vec<f64>, SourceError> {
    let mut numbers = vec![0.0; block.entries()];
    if numbers.is_empty() {
        return Ok(numbers);
    }
    let mut stored = vec![0; block.entries() * source.element().bytes()];
    let locked = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = locked().pop();
    let mut reader = waiting.map_or_else(|| source.reader(), Ok)?;
    reader.read(block, &mut stored)?;
    locked().push(reader);
    source.element().widen(&stored, &mut numbers);
    Ok(numbers)
}
