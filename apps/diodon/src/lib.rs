//! Principal coordinates, components and correspondences of matrices that are larger than memory.

mod basis;
pub mod distance;
mod error;
pub mod gram;
pub mod mds;
mod ordination;
pub mod output;
pub mod stream;
pub mod verdict;

pub use error::EmbedError;
pub use ordination::Ordination;
