//! What a metric makes of its points or sequences: something that gives any rectangle of their
//! distances.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::error::DistanceError;

/// What making points or sequences ready for a metric gives.
pub(super) type Prepared = Result<Arc<dyn Pairs>, DistanceError>;

/// Distances between things that are numbered from 0.
///
/// `d(i, j)` and `d(j, i)` are the same number to the last bit, and an entry does not depend on the
/// rectangle in which it is asked for.
pub(super) trait Pairs: Debug + Send + Sync {
    /// What computes distances in one thread.
    fn worker(self: Arc<Self>) -> Box<dyn Worker>;

    /// Why a distance may be no number, after "the distance of A and B is ...".
    fn undefined(&self) -> &'static str {
        "too large for a number of 64 bits"
    }
}

/// Computes distances in one thread.
pub(super) trait Worker: Send {
    /// Fills `out`, row by row, with the distances of `rows` and `columns`; NaN or infinity where
    /// there is none. What stands where row and column are the same is not used.
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]);
}
