//! The 1D-1D distribution: rows and columns of tiles dealt out, each by itself, over a partition.
//!
//! Beaumont, Boudet, Petitet, Rastello, Robert, "A proposal for a heterogeneous cluster ScaLAPACK
//! (dense linear solvers)", IEEE Transactions on Computers 50 (2001), for any partition into
//! rectangles as in L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 3.1.2.

use std::sync::Arc;

use super::partition::{Partition, peri_sum};
use super::{DistributionEntry, OwnerMap, Planned, Powers, Strategy, shuffle};
use tegula_tiles::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "1d1d",
    parameter: Some("POWERS"),
    summary: "rows and columns of tiles dealt out by the powers of the ranks, any number of them",
    make: |request| {
        let strategy = OneDOneD::new(&request.powers("1d1d")?);
        Ok(Arc::new(Planned::new(strategy, request.storage)))
    },
};

/// Edges of rectangles that are nearer than this are one.
const NEAR: f64 = 1e-9;

/// A partition whose edges are prolonged through the whole square: virtual rows and columns, and in
/// each cell where they cross one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualGrid {
    /// Number of ranks.
    pub ranks: usize,
    /// Heights of the virtual rows, from the top.
    pub heights: Vec<f64>,
    /// Widths of the virtual columns, from the left.
    pub widths: Vec<f64>,
    /// For each virtual row the ranks in it.
    pub cells: Vec<Vec<usize>>,
}

impl VirtualGrid {
    /// That of `partition`.
    #[must_use]
    pub fn new(partition: &Partition) -> Self {
        let parts = &partition.rectangles;
        let rows = lines(parts.iter().map(|part| part.top));
        let columns = lines(parts.iter().map(|part| part.left));
        let rank = |top: &f64, height: &f64, (left, width): (&f64, &f64)| {
            partition.rank_at(left + width / 2.0, top + height / 2.0)
        };
        let (heights, widths) = (lengths(&rows), lengths(&columns));
        let row = |(top, height)| {
            columns.iter().zip(&widths).map(|column| rank(top, height, column)).collect()
        };
        let cells = rows.iter().zip(&heights).map(row).collect();
        Self { ranks: partition.ranks, heights, widths, cells }
    }

    /// The map in which row `i` of tiles is in virtual row `rows[i]`, and columns likewise.
    pub(super) fn map(&self, rows: &[usize], columns: &[usize], storage: Storage) -> OwnerMap {
        OwnerMap::new((rows.len(), columns.len()), storage, self.ranks, |i, j| {
            self.cells[rows[i]][columns[j]]
        })
    }

    /// The map of one row of so many tiles, which has no rows to share: its columns are dealt out
    /// to all ranks by what they have of the grid.
    pub(super) fn map_of_row(&self, columns: usize, storage: Storage) -> OwnerMap {
        let mut shares = vec![0.0; self.ranks];
        for (row, height) in self.cells.iter().zip(&self.heights) {
            row.iter().zip(&self.widths).for_each(|(&rank, width)| shares[rank] += height * width);
        }
        let owners = shuffle(&shares, columns);
        OwnerMap::new((1, columns), storage, self.ranks, |_, column| owners[column])
    }
}

/// Where lines begin, in order and without those that are near another.
fn lines(starts: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut starts: Vec<f64> = starts.collect();
    starts.sort_by(f64::total_cmp);
    starts.dedup_by(|next, kept| *next - *kept < NEAR);
    starts
}

/// How far it is from each line to the next, and from the last to 1.
fn lengths(starts: &[f64]) -> Vec<f64> {
    let ends = starts[1..].iter().chain(&[1.0]);
    ends.zip(starts).map(|(end, start)| end - start).collect()
}

/// Tile `(i, j)` is owned by the rank in virtual row `R_i` and column `C_j`, where [`shuffle`]
/// deals out rows by the heights of the virtual ones and columns by their widths.
///
/// At every step of a factorisation the tiles that are left are shared by the powers, up to a part
/// of `O(1 / n)` of `n x n` tiles, and a rank exchanges tiles only with those in its virtual rows
/// and columns.
#[derive(Clone, Debug)]
pub struct OneDOneD {
    /// The virtual rows and columns.
    pub grid: VirtualGrid,
}

impl OneDOneD {
    /// For ranks of these powers, over the column-based partition.
    #[must_use]
    pub fn new(powers: &Powers) -> Self {
        Self { grid: VirtualGrid::new(&peri_sum(powers)) }
    }
}

impl Strategy for OneDOneD {
    fn map(&self, (rows, columns): (usize, usize), storage: Storage) -> OwnerMap {
        if rows == 1 {
            return self.grid.map_of_row(columns, storage);
        }
        let rows = shuffle(&self.grid.heights, rows);
        let columns = shuffle(&self.grid.widths, columns);
        self.grid.map(&rows, &columns, storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 14 nodes and 7 of twice their power: Nesi 2023, figure 5.4.
    #[test]
    fn the_virtual_grid_of_14_and_7_nodes_is_the_printed_one() {
        let powers = [[1.0; 14].as_slice(), &[2.0; 7]].concat();
        let grid = OneDOneD::new(&Powers::new(powers).expect("they are positive")).grid;
        let printed = [
            [0, 6, 12, 17],
            [0, 6, 13, 17],
            [1, 7, 13, 17],
            [1, 7, 14, 18],
            [2, 8, 14, 18],
            [3, 9, 15, 19],
            [4, 10, 15, 19],
            [4, 10, 16, 20],
            [5, 11, 16, 20],
        ];
        assert_eq!(grid.cells, printed);
    }

    #[test]
    fn one_row_of_tiles_is_shared_by_all() {
        let powers = Powers::new(vec![1.0, 2.0, 1.0]).expect("they are positive");
        let map = OneDOneD::new(&powers).map((1, 40), Storage::Full);
        assert_eq!(map.tiles_of_ranks(), [10, 20, 10]);
    }

    #[test]
    fn equal_ranks_in_a_square_are_block_cyclic() {
        let grid = OneDOneD::new(&Powers::equal(9)).grid;
        assert_eq!(grid.cells, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
        assert_eq!(shuffle(&grid.heights, 6), [2, 1, 0, 2, 1, 0]);
    }
}
