//! What of a matrix is stored: all of it, a triangle, or the blocks on its diagonal, side by side,
//! which are the problems of a batch.

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_tiles::{TileIndex, TileMatrix};

/// Matrices of one shape: the blocks on the diagonal of a matrix that has nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    rows: u32,
    columns: u32,
    count: u32,
}

impl Blocks {
    /// `count` blocks of `rows x columns`.
    pub fn new((rows, columns): (usize, usize), count: usize) -> Self {
        Self { rows: rows as u32, columns: columns as u32, count: count as u32 }
    }

    /// Rows and columns of each.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows as usize, self.columns as usize)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}

/// What of a matrix is stored.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The triangle of it, or of each block, if not all is.
    pub triangle: Option<Uplo>,
    /// Its blocks, if only they are stored, side by side.
    pub blocks: Option<Blocks>,
}

impl Layout {
    /// All.
    pub const FULL: Self = Self { triangle: None, blocks: None };

    /// Rows and columns of the matrix of which an array of shape `stored` is stored.
    pub fn shape(&self, stored: (usize, usize)) -> (usize, usize) {
        self.blocks.map_or(stored, |blocks| {
            let (rows, columns) = blocks.shape();
            (rows * blocks.count(), columns * blocks.count())
        })
    }

    /// Number of blocks on the diagonal.
    pub fn problems(&self) -> usize {
        self.blocks.map_or(1, |blocks| blocks.count())
    }

    /// Where in the matrix the entry stands that is stored at `(i, j)`.
    pub fn place(&self, i: usize, j: usize) -> (usize, usize) {
        self.blocks.map_or((i, j), |blocks| {
            let (rows, columns) = blocks.shape();
            (j / columns * rows + i, j)
        })
    }

    /// Whether the entry that would be stored at `(i, j)` exists.
    pub fn holds(&self, i: usize, j: usize) -> bool {
        let (i, j) = self.place(i, j);
        self.triangle.is_none_or(|uplo| uplo.holds(i, j))
    }

    /// Whether a tile exists; all do of blocks.
    pub fn has_tile(&self, row: usize, column: usize) -> bool {
        self.blocks.is_some() || self.triangle.is_none_or(|uplo| uplo.holds(row, column))
    }

    /// The tiles of `matrix` that exist.
    pub fn tiles<T: Scalar>(
        self,
        matrix: &TileMatrix<T>,
    ) -> impl Iterator<Item = TileIndex> + use<T> {
        matrix.indices().filter(move |tile| self.has_tile(tile.row, tile.column))
    }
}
