//! Files in and out: texts, tables as CSV and arithmetic over their columns, matrices in HDF5, as
//! NumPy has them and in many other formats, sparse matrices, rasters, checkpoints, atomic writing,
//! digests of bytes and of numbers.
//!
//! Nothing here knows tiles in memory or covariances. What the world does wrong (a missing file, a
//! ragged row, a full disk) comes back as an error that names the file, the line and the column.

mod atomic;
pub mod checkpoint;
mod columns;
pub mod csv;
mod digest;
mod error;
pub mod expression;
pub mod hdf5;
pub mod matrix;
mod names;
pub mod npy;
pub mod raster;
pub mod source;
pub mod sparse;
pub mod text;

pub use atomic::{FillError, remove_temporaries, write_atomically};
pub use columns::{BUILD_PARQUET, Cells, HAS_PARQUET, ParquetWriter, is_guarded};
pub use csv::{
    Classes, ColumnIndex, Decimal, Delimiter, Dialect, Header, NamedValues, PartWriter, Parts,
    ReadOptions, Records, Row, Table, TableFile, write_columns, write_columns_to,
};
pub use digest::{Digest, digest_bytes, digest_numbers};
pub(crate) use error::advice;
pub use error::{TableError, WriteError};
pub use names::nearest_name;
