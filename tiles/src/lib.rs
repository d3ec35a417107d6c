//! Tiled matrices: which handle holds which piece, the way to and from plain arrays, and who owns
//! which tile.

mod array;
mod descriptor;
mod generate;
mod grid;
mod lent;
pub mod owners;
mod visit;

pub use array::Order;
pub use descriptor::{Storage, TileIndex, TileMatrix};
pub use generate::{
    imaginary_seed, random_entry, random_hermitian_entry, random_spd_entry, random_symmetric_entry,
};
pub use grid::{MOST_BYTES, TileGrid};
