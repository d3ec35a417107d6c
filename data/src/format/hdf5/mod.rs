//! Matrices in HDF5 files: read block by block, written by blocks, and put together from the files of tiles.
//!
//! The crate `rust-hdf5` opens a file and says what is in it, and reads what is stored in rare ways. Where
//! the entries of the usual layouts stand (contiguous; chunks under a B-tree of version 1 or a fixed array)
//! is found here, so that every thread reads them straight from the file: a chunk is read, inflated and
//! unshuffled into the block.
//!
//! With the feature `hdf5`, the C library libhdf5 reads what neither of them does (virtual data sets, filters that come as
//! plugins): [`open()`] tries one after the other. Tests compare the two.
//!
//! A file that is shorter than its superblock says is refused, since what is missing would read as zeros.

mod choose;
mod chunks;
mod condensed;
mod directory;
mod encode;
mod entries;
mod guard;
mod headers;
mod kind;
#[cfg(feature = "hdf5")]
mod libhdf5;
mod library;
mod list;
mod manifest;
mod names;
mod open;
mod sink;
mod source;
mod storage;
mod tiles;
mod tiling;

pub use encode::ChunkEncoder;
#[cfg(feature = "hdf5")]
pub use libhdf5::LibHdf5Source;
pub use manifest::ManifestSource;
pub use open::{libhdf5_version, open};
pub use sink::{Compression, Hdf5Options, Hdf5Sink};
pub use source::Hdf5Source;
