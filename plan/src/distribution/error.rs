//! Why a distribution cannot be had.

use std::path::PathBuf;

use super::DISTRIBUTIONS;

/// Why a distribution cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum DistributionError {
    /// No distribution has this name.
    #[error("there is no distribution '{name}': there are {}", names())]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// It takes no parameter.
    #[error("the distribution '{name}' takes nothing after a colon")]
    NoParameter {
        /// Its name.
        name: &'static str,
    },
    /// Its parameter is not what it takes.
    #[error("'{given}' is no {expected}, which the distribution '{name}' takes after a colon")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What was given.
        given: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A grid has more or fewer places than there are ranks.
    #[error("a grid of {p} x {q} is not one of {}", self::ranks(*ranks))]
    Grid {
        /// Rows of the grid.
        p: usize,
        /// Columns.
        q: usize,
        /// Ranks.
        ranks: usize,
    },
    /// There are more or fewer powers than ranks.
    #[error("'{given}' holds {} for {ranks}: give one for each", counted(*count, "power"))]
    Powers {
        /// What was given.
        given: String,
        /// How many these are.
        count: usize,
        /// For how many ranks.
        ranks: String,
    },
    /// What follows the at sign does not name ranks.
    #[error(
        "'{given}' names no subset of {ranks}: write ranks from 0 to {last}, each once, such as 0-3,8"
    )]
    Subset {
        /// What was given.
        given: String,
        /// How many ranks there are.
        ranks: String,
        /// The last.
        last: usize,
    },
    /// No rank of a subset has a power.
    #[error("no rank of '{given}' has a power: name ranks that have one after the @")]
    Powerless {
        /// The subset.
        given: String,
    },
    /// A file of owners cannot be read.
    #[error("cannot read the owners in {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A file of owners does not fit.
    #[error("{}, line {line}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        reason: String,
    },
}

/// So many ranks, in words.
pub(super) fn ranks(count: usize) -> String {
    counted(count, "rank")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn names() -> String {
    let names: Vec<&str> = DISTRIBUTIONS.iter().map(|entry| entry.name).collect();
    names.join(", ")
}
