//! Files of named columns that are no text: rasters as places with values, and tables in Parquet.
//!
//! What a file is its first bytes tell. Each kind is a [`ColumnFile`], of which any number of rows
//! are read at a time; [`Table`](crate::Table) and [`TableFile`](crate::TableFile) make tables of
//! them, so that whatever names a column works on all kinds.

mod geotiff;
mod guard;
mod netcdf;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

pub use self::guard::is_guarded;
#[cfg(feature = "parquet")]
pub use self::parquet::ParquetWriter;
#[cfg(not(feature = "parquet"))]
pub use self::without_parquet::ParquetWriter;

use sha2::{Digest as _, Sha256};

use crate::digest::Digest;
use crate::error::TableError;

/// A file of columns.
pub(crate) trait ColumnFile: fmt::Debug + Send + Sync {
    /// The names of the columns.
    fn names(&self) -> &[String];

    /// What it is, in a few words: `GeoTIFF, 30 x 40 pixels`.
    fn describe(&self) -> String;

    /// What a row is called in messages.
    fn word(&self) -> &'static str;

    /// Reads the rows from the first.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    fn reader(&self) -> io::Result<Box<dyn ColumnReader>>;
}

/// Reads rows, one after the other.
pub(crate) trait ColumnReader: Send {
    /// Appends the next rows, about `rows` of them; none at the end alone.
    ///
    /// # Errors
    /// Those of the file; if it is damaged.
    fn read(&mut self, rows: usize, batch: &mut Batch) -> io::Result<()>;

    /// Rows that held no value and were left out so far.
    fn left_out(&self) -> u64 {
        0
    }
}

/// Rows as they are read.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The cells of each column.
    pub(crate) columns: Vec<Cells>,
    /// The number of each row in its file, from 1.
    pub(crate) numbers: Vec<u64>,
}

/// Cells of a column.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Numbers; NaN is a missing value.
    Numbers(Vec<f64>),
    /// Texts; an empty one is a missing value.
    Texts(Vec<String>),
}

impl Cells {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts(texts) => texts.len(),
        }
    }
}

impl Batch {
    /// No rows of so many columns of numbers.
    pub(crate) fn of_numbers(columns: usize) -> Self {
        let columns = (0..columns).map(|_| Cells::Numbers(Vec::new())).collect();
        Self { columns, numbers: Vec::new() }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// Appends a row of numbers, which has this number in its file.
    pub(crate) fn push(&mut self, number: u64, values: impl Iterator<Item = f64>) {
        for (column, value) in self.columns.iter_mut().zip(values) {
            if let Cells::Numbers(values) = column {
                values.push(value);
            }
        }
        self.numbers.push(number);
    }
}

/// The file of columns at `path`; none if it is text. It may take `memory_bytes` beside its rows.
///
/// # Errors
/// If it cannot be opened, or is a kind that is not read, or damaged.
pub(crate) fn open(
    path: &Path,
    memory_bytes: u64,
) -> Result<Option<Arc<dyn ColumnFile>>, TableError> {
    let failed = |cause| TableError::Read { path: path.to_owned(), cause };
    // What is no file, and what cannot be opened, the reader of texts has words for. A pipe must
    // not be opened twice.
    if !std::fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return Ok(None);
    }
    let Ok(mut file) = File::open(path) else { return Ok(None) };
    let mut start = Vec::new();
    file.by_ref().take(8).read_to_end(&mut start).map_err(failed)?;
    let opened: io::Result<Arc<dyn ColumnFile>> = match start.as_slice() {
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => {
            geotiff::GeoTiff::open(path, memory_bytes).map(|file| Arc::new(file) as _)
        }
        [b'C', b'D', b'F', 1 | 2 | 5, ..] => {
            netcdf::NetCdf::open(path, memory_bytes).map(|file| Arc::new(file) as _)
        }
        b"\x89HDF\r\n\x1a\n" => Err(unreadable(
            "it is a NetCDF-4 or HDF5 file, of which columns are not read: write it in NetCDF's \
             classic format (nccopy -k cdf5 IN.nc OUT.nc, or xarray's to_netcdf with \
             format='NETCDF3_64BIT'), or as CSV",
        )),
        // A text may begin so, but then goes on as one.
        [b'P', b'A', b'R', b'1', 0..=8 | 14..=31, ..] => open_parquet(path),
        _ => return Ok(None),
    };
    opened.map(Some).map_err(failed)
}

/// Whether reading and writing Parquet was built in (the feature `parquet`).
pub const HAS_PARQUET: bool = cfg!(feature = "parquet");

/// How Parquet is built in.
pub const BUILD_PARQUET: &str = "cargo build --release --features parquet";

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path) -> io::Result<Arc<dyn ColumnFile>> {
    parquet::Parquet::open(path).map(|file| Arc::new(file) as _)
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(_path: &Path) -> io::Result<Arc<dyn ColumnFile>> {
    Err(unreadable(format!(
        "it is a Parquet file, which this program was built without: {BUILD_PARQUET} builds one \
         that reads it, or write it as CSV (pandas: read_parquet(...).to_csv(...))"
    )))
}

/// The digest of the bytes of the file at `path`, and how many there are.
pub(crate) fn digest_file(path: &Path) -> io::Result<(Digest, u64)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            return Ok((Digest::finish(hasher), bytes));
        }
        hasher.update(&chunk[..count]);
        bytes += count as u64;
    }
}

/// The error of a file that is not read, with why and what to do.
pub(crate) fn unreadable(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}

/// The error of a file that contradicts itself or ends too early.
fn damaged(how: impl fmt::Display) -> io::Error {
    unreadable(format!("it is damaged or was cut short ({how}): fetch or make it again"))
}

/// The error of more than reading may take.
pub(crate) fn too_large(what: impl fmt::Display, bytes: u64, most: u64) -> io::Error {
    unreadable(format!(
        "{what} takes {} MiB, more than the {} MiB that reading may take: allow more memory \
         (--memory), or cut the file",
        bytes.div_ceil(1 << 20),
        most >> 20
    ))
}

/// `name`, or, where one of the `others` is alike, with a number after it.
fn free(others: &[String], name: String) -> String {
    let is_free = |name: &String| others.iter().all(|other| !other.eq_ignore_ascii_case(name));
    if is_free(&name) {
        return name;
    }
    let mut variants = (2..).map(|number| format!("{name}_{number}"));
    variants.find(is_free).expect("there are more numbers than names")
}
