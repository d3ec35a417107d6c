//! What a computation asks of memories: the bytes of its tiles, and of the tasks on them.

use tegula_runtime::memory::rounded;
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_tiles::Storage;

use crate::ranks;

/// Bytes of messages that a rank lets come before their turn, and that it may hold beside its own tiles.
const AHEAD_BYTES: u64 = 256 << 20;

/// More bytes than any machine has, few enough for some such sums; matrices of more count as these.
pub(crate) const MOST_BYTES: u64 = 1 << 58;

/// Most pieces of data that are counted one by one.
const MOST_COUNTED: usize = 1 << 24;

/// A matrix in tiles, before anything is registered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    m: usize,
    n: usize,
    mb: usize,
    nb: usize,
    is_lower: bool,
    number_bytes: usize,
}

impl Grid {
    /// An `m x n` matrix in `mb x nb` tiles of numbers of `number_bytes` bytes.
    pub(crate) fn full(
        (m, n): (usize, usize),
        (mb, nb): (usize, usize),
        number_bytes: usize,
    ) -> Self {
        Self { m, n, mb, nb, is_lower: false, number_bytes }
    }

    /// A lower triangle of order `n` in square tiles.
    pub(crate) fn lower(n: usize, nb: usize, number_bytes: usize) -> Self {
        Self { is_lower: true, ..Self::full((n, n), (nb, nb), number_bytes) }
    }

    /// Bytes of a buffer for `rows x columns` numbers.
    fn buffer(&self, rows: usize, columns: usize) -> u64 {
        let bytes = rows.saturating_mul(columns).saturating_mul(self.number_bytes);
        if bytes == 0 { 0 } else { rounded(bytes.min(MOST_BYTES as usize)) as u64 }
    }

    /// Bytes of tile `(i, j)`; 0 past the end.
    pub(crate) fn tile(&self, i: usize, j: usize) -> u64 {
        let rows = self.mb.min(self.m.saturating_sub(i * self.mb));
        let columns = self.nb.min(self.n.saturating_sub(j * self.nb));
        self.buffer(rows, columns)
    }

    /// Rows of tiles.
    pub(crate) fn mt(&self) -> usize {
        self.m.div_ceil(self.mb)
    }

    /// Bytes of the tiles of `rank`, one of so many.
    fn owned(&self, owners: &dyn Owners, (rank, ranks): (Rank, usize)) -> u64 {
        let (rows, columns) = (self.mt(), self.nt());
        let of_row = |row: usize| if self.is_lower { row + 1 } else { columns };
        let spots = (0..rows).flat_map(|row| {
            (0..of_row(row)).map(move |column| Spot { row, column, rows, columns })
        });
        let mine = spots.filter(|spot| owners.owner(*spot, ranks) == rank);
        mine.map(|spot| self.tile(spot.row, spot.column)).sum()
    }

    /// Columns of tiles.
    pub(crate) fn nt(&self) -> usize {
        self.n.div_ceil(self.nb)
    }

    /// Number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        let (mt, nt) = (self.mt(), self.nt());
        if self.is_lower { nt * (nt + 1) / 2 } else { mt * nt }
    }

    /// Bytes of all tiles.
    pub(crate) fn bytes(&self) -> u64 {
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

/// What a computation on tiles of one order asks for.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    /// Bytes of all that it computes on.
    pub(crate) bytes: u64,
    /// Those of its matrices whose tiles are dealt out over ranks.
    pub(crate) dealt: Vec<Grid>,
    /// Bytes of copies that it keeps where all workers share one memory without limit.
    pub(crate) copy_bytes: u64,
    /// Bytes beside these, which stay in the RAM.
    pub(crate) plain_bytes: u64,
    /// Bytes that its largest task works on.
    pub(crate) task_bytes: u64,
    /// Pieces of data.
    pub(crate) pieces: usize,
    /// Tasks.
    pub(crate) tasks: f64,
}

impl Demand {
    /// What of it this rank has: the tiles that `owners` give it, and those of others that are with it for a
    /// while.
    pub(crate) fn of_rank(self, owners: &dyn Owners) -> Self {
        let Some(world) = ranks::world() else { return self };
        let me = (world.rank(), world.ranks());
        let dealt: u64 = self.dealt.iter().map(Grid::bytes).sum();
        if self.pieces > MOST_COUNTED || dealt >= MOST_BYTES {
            return self;
        }
        let owned: u64 = self.dealt.iter().map(|grid| grid.owned(owners, me)).sum();
        let held = owned + (dealt - owned).min(AHEAD_BYTES);
        Self { bytes: self.bytes - dealt + held, ..self }
    }
}

/// A computation, as far as machine and tiles depend on it.
pub(crate) struct Work<'a> {
    /// The size that the order of the tiles need not exceed.
    pub(crate) order: usize,
    /// The order of the tiles for so many workers, unless another is asked for.
    pub(crate) tile_size: &'a dyn Fn(usize) -> usize,
    /// Names of its codelets; not to be asked for before the backend is chosen.
    pub(crate) codelets: &'a dyn Fn() -> Vec<&'static str>,
    /// Which tiles of its largest matrix there are.
    pub(crate) storage: Storage,
    /// What it asks for, given the order of the tiles and the number of workers.
    pub(crate) demand: &'a dyn Fn(usize, usize) -> Demand,
}

/// Tasks of a Cholesky factorisation with `nt` tiles along an edge.
pub(crate) fn potrf_tasks(nt: usize) -> f64 {
    let nt = nt as f64;
    nt * (nt + 1.0) * (nt + 2.0) / 6.0
}

/// Bytes that the largest task of a Cholesky factorisation of `a` works on: `trsm` or `gemm`.
pub(crate) fn potrf_task_bytes(a: &Grid) -> u64 {
    (a.tile(0, 0) + a.tile(1, 0)).max(a.tile(1, 0) + a.tile(2, 0) + a.tile(2, 1))
}

/// Bytes that the largest task of a solve with the triangle `l` works on: `trsm` or `gemm`.
pub(crate) fn solve_task_bytes(l: &Grid, b: &Grid) -> u64 {
    (l.tile(0, 0) + b.tile(0, 0)).max(l.tile(1, 0) + b.tile(0, 0) + b.tile(1, 0))
}

#[cfg(test)]
mod tests {
    use tegula_plan::distribution::distribution;

    use super::*;

    /// Sums over all tiles one by one.
    fn summed(grid: &Grid) -> (usize, u64) {
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
                    Grid::lower(n, nb, 8),
                    Grid::full((n, n), (nb, nb), 4),
                    Grid::full((n, 2 * n + 3), (nb, nb), 8),
                    Grid::full((n, 3), (nb, 3), 8),
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
            Grid::lower(95, 10, 8),
            Grid::full((95, 30), (10, 10), 8),
            Grid::full((9, 95), (9, 10), 4),
        ];
        for name in ["block-cyclic", "block-cyclic:4x1"] {
            let owners = distribution(name, 4).expect("it is listed");
            for grid in grids {
                let owned: Vec<u64> =
                    (0..4).map(|rank| grid.owned(&*owners, (Rank(rank), 4))).collect();
                assert_eq!(owned.iter().sum::<u64>(), grid.bytes(), "{grid:?}");
                assert!(owned.iter().all(|&bytes| 5 * bytes < 2 * grid.bytes()), "{owned:?}");
            }
        }
    }

    #[test]
    fn a_factorisation_has_as_many_tasks_as_its_loops_submit() {
        for nt in 1..6 {
            let updates = |k: usize| (k + 1..nt).map(|j| nt - j).sum::<usize>();
            let loops: usize = (0..nt).map(|k| nt - k + updates(k)).sum();
            assert_eq!(potrf_tasks(nt), loops as f64);
        }
    }
}
