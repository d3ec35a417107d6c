//! Matrices in HDF5 files: read block by block, written by blocks, and put together from the files of tiles.
//!
//! The crate `rust-hdf5` opens a file and says what is in it, and reads what is stored in rare ways. Where
//! the entries of the usual layouts stand (contiguous; chunks under a B-tree of version 1 or a fixed array)
//! is found here, so that every thread reads them straight from the file: a chunk is read, inflated and
//! unshuffled into the block.
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
mod library;
mod list;
mod manifest;
mod names;
mod sink;
mod source;
mod storage;
mod tiles;
mod tiling;

pub use encode::ChunkEncoder;
pub use manifest::ManifestSource;
pub use sink::{Compression, Hdf5Options, Hdf5Sink};
pub use source::Hdf5Source;
