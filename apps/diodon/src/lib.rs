//! Principal coordinates, components and correspondences of matrices that are larger than memory.

mod basis;
pub mod coa;
pub mod diagram;
pub mod distance;
mod error;
pub mod gram;
pub mod instruments;
pub mod mds;
pub mod metric;
mod ordination;
pub mod output;
pub mod pca;
pub mod program;
pub mod projection;
pub mod singular;
pub mod stream;
pub mod table;
pub mod verdict;

pub use error::EmbedError;
pub use ordination::{Accuracy, Constraints, Names, Ordination, OrdinationInput, Sizes, Variables};
