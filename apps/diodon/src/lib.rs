//! Principal coordinates, components and correspondences of matrices that are larger than memory.

mod ordination;

pub use ordination::Ordination;
