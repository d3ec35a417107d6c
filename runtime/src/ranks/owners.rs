//! Which rank owns a datum that has a place in a grid.

use super::Rank;

/// Place of a datum in a grid of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Its row, from 0.
    pub row: usize,
    /// Its column, from 0.
    pub column: usize,
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
}

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
