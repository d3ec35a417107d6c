//! Principal coordinates, components and correspondences of matrices that are larger than memory.

mod basis;
mod error;
pub mod gram;
pub mod mds;
mod ordination;
pub mod stream;
pub mod verdict;
pub mod output;

pub use error::EmbedError;
pub use ordination::Ordination;
