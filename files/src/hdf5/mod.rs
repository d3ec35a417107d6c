//! Matrices in HDF5 files: read block by block, written by blocks, and put together from the files
//! of tiles.
//!
//! The crate `rust-hdf5` opens a file and says what is in it, and reads what is stored in rare
//! ways. Where the entries stand (contiguous; chunks under any of HDF5's indices) is found here, so
//! that every thread reads them straight from the file: a chunk is read, inflated and unshuffled
//! into the block.
//!
//! HDF5 gives a fill value for what was never written, mostly 0, which is a distance like any
//! other: a data set with such holes is refused unless [`Hdf5Reading::fill`] says what they are.
//!
//! With the feature `hdf5`, the C library libhdf5 reads what neither of them does (virtual data
//! sets, filters that come as plugins): [`open()`] tries one after the other. Tests compare the
//! two.
//!
//! A file that is shorter than its superblock says is refused, since what is missing would read as
//! zeros.

mod choose;
mod chunks;
mod condensed;
mod directory;
mod encode;
mod entries;
mod guard;
mod headers;
mod holes;
mod index;
mod kind;
#[cfg(feature = "hdf5")]
mod libhdf5;
mod library;
mod list;
mod manifest;
mod names;
mod open;
mod place;
mod sink;
mod source;
mod storage;
mod tiles;
mod tiling;

pub use encode::ChunkEncoder;
pub use holes::Hdf5Reading;
pub use manifest::ManifestSource;
pub use open::{libhdf5_version, open};
pub use sink::{Compression, Hdf5Options, Hdf5Sink};
pub use source::Hdf5Source;
