//! Distances that are computed when they are read, between points or between sequences: a matrix
//! that is stored nowhere.
//!
//! A metric of [`METRICS`] with its [`Points`] or its [`Sequences`] makes a [`DistanceSource`]. A
//! new metric is a new file and one line in the list.

mod error;
mod metric;
mod pairs;
mod points;
mod sequences;
mod source;
mod write;

pub use error::DistanceError;
pub use metric::{METRICS, Metric, MetricChoice, MetricInput};
pub use points::Points;
pub use sequences::Sequences;
pub use source::DistanceSource;
pub use write::{WriteOptions, write_matrix};
