//! Owners of tiles that need no plan: a grid of ranks repeated over the tiles, and a map of one
//! grid of tiles.

mod block_cyclic;
mod map;

pub use block_cyclic::BlockCyclic;
pub use map::OwnerMap;
