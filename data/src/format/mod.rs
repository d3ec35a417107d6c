//! Files in and out: tables as CSV, matrices as NumPy has them, in HDF5 and in many other formats, atomic
//! writing, digests of bytes and of numbers.
//!
//! Nothing here knows tiles or covariances. What the world does wrong (a missing file, a ragged row, a full disk)
//! comes back as an error that names the file, the line and the column.

mod atomic;
pub mod csv;
mod digest;
mod error;
pub mod hdf5;
pub mod matrix;
mod names;
pub mod npy;
pub mod text;

pub use atomic::{FillError, write_atomically};
pub(crate) use atomic::{Temporary, name_beside, remove_leftovers};
pub use csv::{
    ColumnIndex, Decimal, Delimiter, Dialect, Header, NamedValues, ReadOptions, Records, Row,
    Table, write_columns, write_columns_to,
};
pub use digest::{Digest, digest_bytes, digest_numbers};
pub(crate) use error::advice;
pub use error::{TableError, WriteError};
pub use names::nearest_name;
