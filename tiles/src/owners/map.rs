//! An owner for each tile of one grid of tiles.

use tegula_runtime::ranks::{Owners, Rank, Spot};

use crate::Storage;

/// The owner of each tile of a grid.
///
/// Of a triangle, a tile above the diagonal has the owner of the one that mirrors it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerMap {
    rows: usize,
    columns: usize,
    ranks: usize,
    storage: Storage,
    owners: Vec<u16>,
}

impl OwnerMap {
    /// The map of `rows x columns` tiles that gives tile `(i, j)` to rank `owner(i, j)` of `ranks`.
    ///
    /// # Panics
    /// If a rank is none of them, or a triangle is not square.
    #[must_use]
    pub fn new(
        (rows, columns): (usize, usize),
        storage: Storage,
        ranks: usize,
        mut owner: impl FnMut(usize, usize) -> usize,
    ) -> Self {
        let is_square = storage == Storage::Full || rows == columns;
        assert!(is_square, "a triangle of {rows} x {columns} tiles is not square");
        let mut map = Self { rows, columns, ranks, storage, owners: vec![0; rows * columns] };
        for (i, j) in map.tiles().collect::<Vec<_>>() {
            map.set(i, j, owner(i, j));
        }
        map
    }

    /// What `owners` say of `rows x columns` tiles over `ranks` ranks.
    #[must_use]
    pub fn of(
        owners: &dyn Owners,
        (rows, columns): (usize, usize),
        storage: Storage,
        ranks: usize,
    ) -> Self {
        Self::new((rows, columns), storage, ranks, |row, column| {
            usize::from(owners.owner(Spot { row, column, rows, columns }, ranks).0)
        })
    }

    /// Rows of tiles.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of tiles.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Which tiles there are.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The number of the rank that owns tile `(row, column)`.
    #[must_use]
    pub fn owner(&self, row: usize, column: usize) -> usize {
        let (row, column) = self.stored(row, column);
        usize::from(self.owners[row * self.columns + column])
    }

    /// Gives tile `(row, column)` to rank `owner`.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn set(&mut self, row: usize, column: usize, owner: usize) {
        assert!(owner < self.ranks, "rank {owner} of {}", self.ranks);
        let (row, column) = self.stored(row, column);
        self.owners[row * self.columns + column] = owner as u16;
    }

    fn stored(&self, row: usize, column: usize) -> (usize, usize) {
        let is_mirrored = self.storage == Storage::Lower && row < column;
        if is_mirrored { (column, row) } else { (row, column) }
    }

    /// The tiles that there are, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (rows, columns, storage) = (self.rows, self.columns, self.storage);
        (0..rows).flat_map(move |i| {
            let end = if storage == Storage::Lower { i + 1 } else { columns };
            (0..end).map(move |j| (i, j))
        })
    }

    /// How many tiles each rank owns: the memory that the matrix takes there, in tiles.
    #[must_use]
    pub fn tiles_of_ranks(&self) -> Vec<usize> {
        let mut tiles = vec![0; self.ranks];
        self.tiles().for_each(|(i, j)| tiles[self.owner(i, j)] += 1);
        tiles
    }

    /// A line of owners, separated by commas, for each row of tiles; of a triangle, lines end at
    /// the diagonal.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut lines = vec![Vec::new(); self.rows()];
        self.tiles().for_each(|(i, j)| lines[i].push(self.owner(i, j).to_string()));
        lines.into_iter().map(|line| line.join(",") + "\n").collect()
    }
}

/// A map is only for grids of its own shape.
impl Owners for OwnerMap {
    fn owner(&self, Spot { row, column, rows, columns }: Spot, _: usize) -> Rank {
        assert_eq!((rows, columns), (self.rows, self.columns), "a map for another grid of tiles");
        Rank(Self::owner(self, row, column) as u16)
    }
}
