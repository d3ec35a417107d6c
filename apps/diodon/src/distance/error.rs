//! What can be wrong with points, with sequences, or with what is asked of them.

use std::io;
use std::path::PathBuf;

use super::metric::{METRICS, MetricInput};

/// Why there are no distances.
#[derive(Debug, thiserror::Error)]
pub enum DistanceError {
    /// No such name in the list.
    #[error("there is no metric \"{name}\"; there are {}", names())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// What stands behind the colon of a metric's name.
    #[error("\"{given}\": {reason}")]
    Parameter {
        /// The whole text.
        given: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Points for a metric of sequences, or sequences for one of points.
    #[error("{metric} is a distance between {takes}")]
    Kind {
        /// The metric.
        metric: &'static str,
        /// What it takes.
        takes: MetricInput,
    },
    /// The system refused to open or to read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A file that is no FASTA file, or a damaged one.
    #[error("{}, line {line}: {reason}", path.display())]
    Fasta {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        reason: String,
    },
    /// Points of which the distance is not defined.
    #[error("{0}")]
    Points(String),
    /// Sequences of which the distance is not defined.
    #[error("{0}")]
    Sequences(String),
}

/// The names of all metrics.
fn names() -> String {
    METRICS.iter().map(|metric| metric.usage()).collect::<Vec<_>>().join(", ")
}
