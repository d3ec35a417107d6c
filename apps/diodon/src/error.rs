//! Why there is no embedding.

use tegula_data::source::SourceError;
use tegula_linalg::HeevdError;
use tegula_runtime::flow::FlowError;

/// Why there is no embedding.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A tile could not be read, or a task failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// A block could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Entries are not what they should be. The text says which, and what to do.
    #[error("{0}")]
    Entries(String),
    /// Numbers left their range on the way.
    #[error(
        "a product with the matrix is not finite: its entries are too large, change their unit"
    )]
    NotFinite,
    /// The eigenproblem of the whole matrix was not solved.
    #[error(transparent)]
    Exact(#[from] HeevdError),
}
