//! Which rank owns a datum that has a place in a grid.

use super::Rank;
use crate::types::Spot;

/// A map from places to ranks.
pub trait Owners: Send + Sync {
    /// The owner of what is at `spot`, one of so many `ranks`; the same on every rank.
    fn owner(&self, spot: Spot, ranks: usize) -> Rank;
}

/// All on rank 0.
impl Owners for () {
    fn owner(&self, _: Spot, _: usize) -> Rank {
        Rank(0)
    }
}
