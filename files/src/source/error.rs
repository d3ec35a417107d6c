//! What can be wrong with a matrix that is read by blocks.

use std::io;
use std::path::{Path, PathBuf};

use crate::advice;

/// Why a matrix, or a block of it, cannot be had or cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The system refused to open or to read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The system refused to create or to write.
    #[error("cannot write {}: {cause}{}", path.display(), advice(cause))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is not what it should be: cut short, damaged, of another shape or type. The text
    /// says where and what to do.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what helps.
        reason: String,
    },
    /// The file is sound as far as can be seen, but of a kind that is not read. The text says which
    /// and what helps.
    #[error("{}: {reason}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Of which kind, and what helps.
        reason: String,
    },
}

impl SourceError {
    /// The system refused to read `path`.
    #[must_use]
    pub fn read(path: &Path, cause: io::Error) -> Self {
        Self::Read { path: path.to_owned(), cause }
    }

    /// The system refused to write `path`.
    #[must_use]
    pub fn write(path: &Path, cause: io::Error) -> Self {
        Self::Write { path: path.to_owned(), cause }
    }

    /// `path` is wrong for `reason`.
    #[must_use]
    pub fn invalid(path: &Path, reason: impl Into<String>) -> Self {
        Self::Invalid { path: path.to_owned(), reason: reason.into() }
    }

    /// `path` is of a kind that is not read, for `reason`.
    #[must_use]
    pub fn unsupported(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unsupported { path: path.to_owned(), reason: reason.into() }
    }
}
