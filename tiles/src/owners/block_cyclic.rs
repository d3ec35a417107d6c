//! The two-dimensional block-cyclic distribution: ranks in a grid that is repeated over the tiles
//! (ScaLAPACK Users' Guide, SIAM 1997, section 4.3.1).

use tegula_runtime::ranks::{Owners, Rank, Spot};

/// Tile `(i, j)` is owned by rank `(i mod P) Q + (j mod Q)`.
///
/// A matrix of one row of tiles has no rows to share: its columns are dealt out over all ranks from
/// the first to the last and back. In a factorisation a column has more to do than the one before,
/// and each rank has the later one in turn.
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

    #[test]
    fn columns_alone_are_dealt_out_back_and_forth() {
        let owner = |column| {
            let spot = Spot { row: 0, column, rows: 1, columns: 8 };
            BlockCyclic::squarest(3).owner(spot, 3).0
        };
        assert_eq!((0..8).map(owner).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 0, 0, 1]);
    }
}
