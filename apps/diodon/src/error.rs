//! Why there is no embedding.

use tegula_files::source::SourceError;
use tegula_linalg::HeevdError;
use tegula_runtime::flow::FlowError;

/// Why there is no embedding.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A task failed.
    #[error(transparent)]
    Flow(FlowError),
    /// A block could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A tile could not be read by a task, or entries are not what they should be. The text says
    /// which, and what to do.
    #[error("{0}")]
    Entries(String),
    /// Numbers left their range on the way.
    #[error(
        "a product with the matrix is not finite: its entries are too large, change their unit"
    )]
    NotFinite,
    /// What a run held between two passes could not be written, or read back.
    #[error("what is held between two passes: {0}")]
    State(#[from] std::io::Error),
    /// It was asked to end before it was done.
    #[error("stopped after {passes} passes")]
    Stopped {
        /// Passes so far.
        passes: usize,
    },
    /// The eigenproblem of the whole matrix was not solved.
    #[error(transparent)]
    Exact(#[from] HeevdError),
}

impl From<FlowError> for EmbedError {
    /// What a task that reads says of the file is said as it is.
    fn from(error: FlowError) -> Self {
        match error.kernel_error::<SourceError>() {
            Some(cause) => Self::Entries(cause.to_string()),
            None => Self::Flow(error),
        }
    }
}
