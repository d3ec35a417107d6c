//! The descriptor of a tiled matrix: sizes, and a handle for each tile.

use std::marker::PhantomData;

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, Handle};
use tegula_runtime::ranks::{Owners, Spot};

/// Which tiles of a matrix exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// All.
    Full,
    /// Those on and below the diagonal; a symmetric or lower triangular matrix.
    Lower,
}

/// Position of a tile in the grid of tiles, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileIndex {
    /// Row of tiles.
    pub row: usize,
    /// Column of tiles.
    pub column: usize,
}

/// An `m x n` matrix cut into `mb x nb` tiles, each a handle of one flow. Over ranks, tiles belong
/// to whom the flow's [owners](Flow::set_owners) say.
///
/// The tiles in the last row and column may be smaller. A tile is contiguous and column-major
/// with its own number of rows as leading dimension, and nothing is allocated until tasks write it;
/// or it is a part of an array of the caller's ([`TileMatrix::lent`]).
#[derive(Clone, Debug)]
pub struct TileMatrix<T> {
    m: usize,
    n: usize,
    mb: usize,
    nb: usize,
    storage: Storage,
    tiles: Vec<Handle>,
    scalar: PhantomData<T>,
}

impl<T: Scalar> TileMatrix<T> {
    /// Registers the tiles of an `m x n` matrix, `mb x nb` each, with `flow`.
    ///
    /// # Panics
    /// If a tile size is zero, or a matrix stored as [`Storage::Lower`] or its tiles are not
    /// square.
    #[must_use]
    pub fn new(
        flow: &mut Flow,
        shape: (usize, usize),
        tile_shape: (usize, usize),
        storage: Storage,
    ) -> Self {
        let grid = (shape.0.div_ceil(tile_shape.0.max(1)), shape.1.div_ceil(tile_shape.1.max(1)));
        Self::made_of(shape, tile_shape, storage, |(row, column), (height, width)| {
            let (row, column) = (row / tile_shape.0, column / tile_shape.1);
            let spot = Spot { row, column, rows: grid.0, columns: grid.1 };
            flow.register_at(height * width * size_of::<T>(), spot)
        })
    }

    /// An `m x n` matrix whose tiles are `make(first entry, shape)`.
    pub(super) fn made_of(
        (m, n): (usize, usize),
        (mb, nb): (usize, usize),
        storage: Storage,
        mut make: impl FnMut((usize, usize), (usize, usize)) -> Handle,
    ) -> Self {
        assert!(mb > 0 && nb > 0, "tiles of {mb} x {nb} are empty");
        assert!(
            storage == Storage::Full || (m == n && mb == nb),
            "a triangle of {m} x {n} in tiles of {mb} x {nb} is not square"
        );
        let mut matrix = Self { m, n, mb, nb, storage, tiles: Vec::new(), scalar: PhantomData };
        let tiles: Vec<Handle> = matrix
            .indices()
            .map(|index| {
                let shape = (matrix.tile_rows(index.row), matrix.tile_columns(index.column));
                make(matrix.origin(index), shape)
            })
            .collect();
        matrix.tiles = tiles;
        matrix
    }

    /// An `n x n` lower triangle or symmetric matrix in square tiles.
    #[must_use]
    pub fn lower(flow: &mut Flow, n: usize, nb: usize) -> Self {
        Self::new(flow, (n, n), (nb, nb), Storage::Lower)
    }

    /// An `m x n` matrix in tiles that are `mb` high and as wide as the matrix: a vector, or some.
    #[must_use]
    pub fn panel(flow: &mut Flow, (m, n): (usize, usize), mb: usize) -> Self {
        Self::new(flow, (m, n), (mb, n.max(1)), Storage::Full)
    }

    /// Number of rows.
    #[must_use]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Number of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Rows of a tile that is not in the last row.
    #[must_use]
    pub fn mb(&self) -> usize {
        self.mb
    }

    /// Columns of a tile that is not in the last column.
    #[must_use]
    pub fn nb(&self) -> usize {
        self.nb
    }

    /// Number of rows of tiles.
    #[must_use]
    pub fn mt(&self) -> usize {
        self.m.div_ceil(self.mb)
    }

    /// Number of columns of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.n.div_ceil(self.nb)
    }

    /// Which tiles exist.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Rows of the tiles in row `i` of tiles.
    #[must_use]
    pub fn tile_rows(&self, i: usize) -> usize {
        assert!(i < self.mt(), "row {i} of tiles is not below {}", self.mt());
        self.mb.min(self.m - i * self.mb)
    }

    /// Columns of the tiles in column `j` of tiles.
    #[must_use]
    pub fn tile_columns(&self, j: usize) -> usize {
        assert!(j < self.nt(), "column {j} of tiles is not below {}", self.nt());
        self.nb.min(self.n - j * self.nb)
    }

    /// Row and column of the first entry of a tile.
    pub(super) fn origin(&self, index: TileIndex) -> (usize, usize) {
        (index.row * self.mb, index.column * self.nb)
    }

    /// The handle of tile `(i, j)`.
    ///
    /// # Panics
    /// If there is no such tile.
    #[must_use]
    pub fn tile(&self, i: usize, j: usize) -> Handle {
        let (mt, nt) = (self.mt(), self.nt());
        assert!(i < mt && j < nt, "tile ({i}, {j}) is not in a grid of {mt} x {nt}");
        match self.storage {
            Storage::Full => self.tiles[i + j * mt],
            Storage::Lower => {
                assert!(i >= j, "tile ({i}, {j}) is above the diagonal of a lower matrix");
                // Columns before j hold mt, mt - 1, ... tiles.
                self.tiles[j * mt - j * j.saturating_sub(1) / 2 + (i - j)]
            }
        }
    }

    /// The tiles that exist, column by column.
    pub fn indices(&self) -> impl Iterator<Item = TileIndex> + use<T> {
        let (mt, nt, storage) = (self.mt(), self.nt(), self.storage);
        (0..nt).flat_map(move |column| {
            let first = if storage == Storage::Lower { column } else { 0 };
            (first..mt).map(move |row| TileIndex { row, column })
        })
    }

    /// From now on, tiles belong to whom `owners` says: tasks that write them run there, and
    /// contents follow as they are needed, beside whatever else runs.
    pub fn redistribute(&self, flow: &mut Flow, owners: &dyn Owners) {
        let (rows, columns, ranks) = (self.mt(), self.nt(), flow.ranks());
        for TileIndex { row, column } in self.indices() {
            let owner = owners.owner(Spot { row, column, rows, columns }, ranks);
            flow.set_owner(self.tile(row, column), owner);
        }
    }

    /// Says that no tile is needed after what was submitted so far.
    pub fn done_with(&self, flow: &mut Flow) {
        self.tiles.iter().for_each(|&tile| flow.done_with(tile));
    }

    /// Takes the matrix apart once everything submitted so far has run, without waiting for it.
    pub fn retire(self, flow: &mut Flow) {
        self.tiles.iter().for_each(|&tile| flow.retire(tile));
    }

    /// Takes the matrix apart, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        self.tiles.iter().for_each(|&tile| flow.unregister(tile));
    }
}
