//! Logs of jobs as text: reading them, writing them, cleaning them.

mod cells;
mod native;
mod outcomes;

pub use native::{read_native, write_native};
pub use outcomes::read_outcomes;

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LogError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong, and what to do.
    pub what: String,
}
