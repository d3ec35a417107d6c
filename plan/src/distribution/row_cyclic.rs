//! The cyclic distribution of rows of tiles.

use std::sync::Arc;

use super::{BlockCyclic, DistributionEntry};

/// Tile `(i, j)` is owned by rank `i mod P`; of a matrix of one row of tiles by rank `j mod P`.
pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "row-cyclic",
    parameter: None,
    summary: "rows of tiles in turn",
    make: |request| Ok(Arc::new(BlockCyclic { p: request.ranks(), q: 1 })),
};
