//! How a flow fails.

use std::error::Error;
use std::sync::Arc;

use crate::memory::{Amount, OutOfMemory};
use crate::types::Rank;

/// Why what was submitted did not all run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FlowError {
    /// A kernel failed; the task with the smallest program index is the one named.
    #[error("{codelet} (task {task}): {source}")]
    Task {
        /// Name of the codelet.
        codelet: &'static str,
        /// Position of the task in the program.
        task: u64,
        /// What the kernel returned.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// There is no memory for the contents of a handle.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// What the program itself wants to read or write does not fit the RAM.
    #[error(
        "a handle of {} does not fit the {} that the RAM is limited to: allow more memory",
        Amount(*bytes),
        Amount(*most)
    )]
    TooLarge {
        /// Bytes of the handle.
        bytes: u64,
        /// Bytes that the RAM is limited to.
        most: u64,
    },
    /// What does not fit the RAM cannot be written to disk, or be read from there.
    #[error("{0}")]
    Scratch(Arc<dyn Error + Send + Sync>),
    /// Ranks were not started alike.
    #[error(
        "rank {rank} was not started as rank 0: all ranks need the same version of the program, the \
         same flags, the same input and the same tiles"
    )]
    Unlike {
        /// A rank that differs from rank 0.
        rank: Rank,
    },
    /// Ranks do not run the same program.
    #[error(
        "rank {rank} has submitted {tasks} tasks where rank 0 has submitted another number: all ranks \
         must run the same program on the same input"
    )]
    Diverged {
        /// A rank that differs from rank 0.
        rank: Rank,
        /// Its tasks.
        tasks: u64,
    },
    /// Another rank cannot be reached any more.
    #[error("{0}")]
    Peers(Arc<dyn Error + Send + Sync>),
    /// An accelerator cannot be used any more.
    #[error("{0}")]
    Device(Arc<dyn Error + Send + Sync>),
}

impl FlowError {
    /// The kernel's own error, if it is an `E`.
    #[must_use]
    pub fn kernel_error<E: Error + 'static>(&self) -> Option<&E> {
        match self {
            Self::Task { source, .. } => source.downcast_ref(),
            _ => None,
        }
    }
}
