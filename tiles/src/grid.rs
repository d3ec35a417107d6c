//! A matrix in tiles before anything is registered: how many tiles it has, and how many bytes.

use tegula_runtime::memory::rounded;
use tegula_runtime::ranks::{Owners, Rank, Spot};

/// More bytes than any machine has, few enough for some such sums; matrices of more count as these.
pub const MOST_BYTES: u64 = 1 << 58;

/// A matrix in tiles, before anything is registered.
#[derive(Clone, Copy, Debug)]
pub struct TileGrid {
    m: usize,
    n: usize,
    mb: usize,
    nb: usize,
    is_lower: bool,
    number_bytes: usize,
}

impl TileGrid {
    /// An `m x n` matrix in `mb x nb` tiles of numbers of `number_bytes` bytes.
    #[must_use]
    pub fn full((m, n): (usize, usize), (mb, nb): (usize, usize), number_bytes: usize) -> Self {
        Self { m, n, mb, nb, is_lower: false, number_bytes }
    }

    /// A lower triangle of order `n` in square tiles.
    #[must_use]
    pub fn lower(n: usize, nb: usize, number_bytes: usize) -> Self {
        Self { is_lower: true, ..Self::full((n, n), (nb, nb), number_bytes) }
    }

    /// Bytes of a buffer for `rows x columns` numbers.
    fn buffer(&self, rows: usize, columns: usize) -> u64 {
        let bytes = rows.saturating_mul(columns).saturating_mul(self.number_bytes);
        if bytes == 0 { 0 } else { rounded(bytes.min(MOST_BYTES as usize)) as u64 }
    }

    /// Bytes of tile `(i, j)`; 0 past the end.
    #[must_use]
    pub fn tile(&self, i: usize, j: usize) -> u64 {
        let rows = self.mb.min(self.m.saturating_sub(i * self.mb));
        let columns = self.nb.min(self.n.saturating_sub(j * self.nb));
        self.buffer(rows, columns)
    }

    /// Rows of tiles.
    #[must_use]
    pub fn mt(&self) -> usize {
        self.m.div_ceil(self.mb)
    }

    /// Bytes of the tiles of `rank`, one of so many.
    #[must_use]
    pub fn owned(&self, owners: &dyn Owners, (rank, ranks): (Rank, usize)) -> u64 {
        let (rows, columns) = (self.mt(), self.nt());
        let of_row = |row: usize| if self.is_lower { row + 1 } else { columns };
        let spots = (0..rows).flat_map(|row| {
            (0..of_row(row)).map(move |column| Spot { row, column, rows, columns })
        });
        let mine = spots.filter(|spot| owners.owner(*spot, ranks) == rank);
        mine.map(|spot| self.tile(spot.row, spot.column)).sum()
    }

    /// Columns of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.n.div_ceil(self.nb)
    }

    /// Number of tiles.
    #[must_use]
    pub fn tiles(&self) -> usize {
        let (mt, nt) = (self.mt(), self.nt());
        if self.is_lower { nt * (nt + 1) / 2 } else { mt * nt }
    }

    /// Bytes of all tiles.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let (rows, columns) = (self.m / self.mb, self.n / self.nb);
        let (low, narrow) = (self.m % self.mb, self.n % self.nb);
        let whole = if self.is_lower { rows * (rows + 1) / 2 } else { rows * columns };
        let right = if self.is_lower { 0 } else { rows };
        let of = |tiles: usize, bytes: u64| (tiles as u64).saturating_mul(bytes).min(MOST_BYTES);
        let bytes = of(whole, self.buffer(self.mb, self.nb))
            + of(columns, self.buffer(low, self.nb))
            + of(right, self.buffer(self.mb, narrow))
            + self.buffer(low, narrow);
        bytes.min(MOST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owners::BlockCyclic;

    /// Sums over all tiles one by one.
    fn summed(grid: &TileGrid) -> (usize, u64) {
        let pairs = (0..grid.mt()).flat_map(|i| (0..grid.nt()).map(move |j| (i, j)));
        let tiles: Vec<u64> =
            pairs.filter(|(i, j)| !grid.is_lower || i >= j).map(|(i, j)| grid.tile(i, j)).collect();
        (tiles.len(), tiles.iter().sum())
    }

    #[test]
    fn a_grid_has_the_bytes_of_its_tiles() {
        for n in [1, 7, 30, 31] {
            for nb in [1, 7, 15, 64] {
                let grids = [
                    TileGrid::lower(n, nb, 8),
                    TileGrid::full((n, n), (nb, nb), 4),
                    TileGrid::full((n, 2 * n + 3), (nb, nb), 8),
                    TileGrid::full((n, 3), (nb, 3), 8),
                ];
                for grid in grids {
                    assert_eq!(summed(&grid), (grid.tiles(), grid.bytes()), "{grid:?}");
                }
            }
        }
    }

    #[test]
    fn ranks_own_all_of_a_grid() {
        let grids = [
            TileGrid::lower(95, 10, 8),
            TileGrid::full((95, 30), (10, 10), 8),
            TileGrid::full((9, 95), (9, 10), 4),
        ];
        for owners in [BlockCyclic { p: 2, q: 2 }, BlockCyclic { p: 4, q: 1 }] {
            for grid in grids {
                let owned: Vec<u64> =
                    (0..4).map(|rank| grid.owned(&owners, (Rank(rank), 4))).collect();
                assert_eq!(owned.iter().sum::<u64>(), grid.bytes(), "{grid:?}");
                assert!(owned.iter().all(|&bytes| 5 * bytes < 2 * grid.bytes()), "{owned:?}");
            }
        }
    }
}
