//! The two-dimensional block-cyclic distribution: ranks in a grid that is repeated over the tiles
//! (ScaLAPACK Users' Guide, SIAM 1997, section 4.3.1).

use std::sync::Arc;

use tegula_runtime::ranks::{Owners, Rank, Spot};

use super::{DistributionEntry, DistributionError};

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "block-cyclic",
    parameter: Some("PxQ"),
    summary: "ranks in a grid of P x Q, repeated over the tiles; the squarest unless told",
    make: |request| {
        let grid = match request.parameter {
            None => BlockCyclic::squarest(request.ranks()),
            Some(text) => BlockCyclic::parse(text, request.ranks())?,
        };
        Ok(Arc::new(grid))
    },
};

/// Tile `(i, j)` is owned by rank `(i mod P) Q + (j mod Q)`.
///
/// A matrix of one row of tiles has no rows to share: its columns are dealt out over all ranks from the first to the last
/// and back. In a factorisation a column has more to do than the one before, and each rank has the later one in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCyclic {
    /// Rows of the grid.
    pub p: usize,
    /// Columns of the grid.
    pub q: usize,
}

impl BlockCyclic {
    /// The grid of `ranks` ranks that is closest to a square, with at least as many columns as
    /// rows: factorisations send the fewest tiles.
    #[must_use]
    pub fn squarest(ranks: usize) -> Self {
        let p = (1..=ranks.isqrt()).rev().find(|p| ranks.is_multiple_of(*p)).unwrap_or(1);
        Self { p, q: ranks / p }
    }

    fn parse(text: &str, ranks: usize) -> Result<Self, DistributionError> {
        let grid = text.split_once('x').and_then(|(p, q)| Some((p.parse().ok()?, q.parse().ok()?)));
        let (p, q) = grid.filter(|&(p, q)| p > 0 && q > 0).ok_or_else(|| {
            let given = text.to_owned();
            DistributionError::Parameter {
                name: ENTRY.name,
                given,
                expected: "grid P x Q, such as 2x3",
            }
        })?;
        if usize::checked_mul(p, q) != Some(ranks) {
            return Err(DistributionError::Grid { p, q, ranks });
        }
        Ok(Self { p, q })
    }
}

impl Owners for BlockCyclic {
    fn owner(&self, Spot { row, column, rows, .. }: Spot, ranks: usize) -> Rank {
        let number = if rows == 1 {
            let place = column % (2 * ranks);
            place.min(2 * ranks - 1 - place)
        } else {
            (row % self.p) * self.q + column % self.q
        };
        Rank((number % ranks) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::OwnerMap;
    use crate::distribution::messages::{cholesky, lu};
    use crate::matrix::Storage::{Full, Lower};

    #[test]
    fn columns_alone_are_dealt_out_back_and_forth() {
        let owner = |column| {
            let spot = Spot { row: 0, column, rows: 1, columns: 8 };
            BlockCyclic::squarest(3).owner(spot, 3).0
        };
        assert_eq!((0..8).map(owner).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 0, 0, 1]);
    }

    #[test]
    fn no_grid_sends_less_than_the_squarest() {
        for ranks in 1..=48 {
            let sent = |grid: BlockCyclic| {
                let map = |storage| OwnerMap::of(&grid, (100, 100), storage, ranks);
                (lu(&map(Full)).total(), cholesky(&map(Lower)).total())
            };
            let best = sent(BlockCyclic::squarest(ranks));
            for p in (1..=ranks).filter(|p| ranks.is_multiple_of(*p)) {
                let other = sent(BlockCyclic { p, q: ranks / p });
                assert!(best.0 <= other.0, "LU on {ranks} ranks with {p} rows");
                assert!(best.1 <= other.1, "Cholesky on {ranks} ranks with {p} rows");
            }
        }
    }
}
