//! The cyclic distribution of columns of tiles.

use std::sync::Arc;

use super::{BlockCyclic, DistributionEntry};

/// Tile `(i, j)` is owned by rank `j mod P`.
pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "column-cyclic",
    parameter: None,
    summary: "columns of tiles in turn",
    make: |request| Ok(Arc::new(BlockCyclic { p: 1, q: request.ranks() })),
};
