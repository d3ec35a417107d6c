//! The matrices of an algorithm as its file states them: shape, tiles, which triangle, which entries.
//! Memory, tasks that fill them and checks derive from that.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use super::fill::Entries;
use super::sizes::{Size, Sizes};
use crate::demand::Grid;

/// How a matrix is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tiling {
    /// Square tiles of order `nb`.
    Squares,
    /// Columns of blocks: tiles as high as the matrix, `nb` wide.
    Columns,
    /// Rows of blocks: tiles as wide as the matrix, `nb` high.
    Rows,
}

/// A matrix of an algorithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    rows: Size,
    columns: Size,
    tiling: Tiling,
    /// Of which only the triangle that `--uplo` names exists.
    is_triangle: bool,
    /// What it is filled with.
    pub(super) entries: Entries,
}

impl Operand {
    /// A `rows x columns` matrix in square tiles.
    pub(super) const fn full(rows: Size, columns: Size, entries: Entries) -> Self {
        Self { rows, columns, tiling: Tiling::Squares, is_triangle: false, entries }
    }

    /// A triangle of a square matrix of this order in square tiles, that which `--uplo` names: what
    /// the other one holds is not a number.
    pub(super) const fn triangle(order: Size, entries: Entries) -> Self {
        Self { is_triangle: true, ..Self::full(order, order, entries) }
    }

    /// In columns of blocks.
    pub(super) const fn columns(self) -> Self {
        Self { tiling: Tiling::Columns, ..self }
    }

    /// In rows of blocks.
    pub(super) const fn rows(self) -> Self {
        Self { tiling: Tiling::Rows, ..self }
    }

    /// Whether it is in columns or rows of blocks.
    pub(super) fn is_cut_one_way(&self) -> bool {
        self.tiling != Tiling::Squares
    }

    /// Rows and columns.
    pub(super) fn shape(&self, sizes: &Sizes) -> (usize, usize) {
        (sizes.of(self.rows), sizes.of(self.columns))
    }

    /// Rows and columns of a tile.
    fn tile_shape(&self, sizes: &Sizes) -> (usize, usize) {
        let ((m, n), nb) = (self.shape(sizes), sizes.nb);
        match self.tiling {
            Tiling::Squares => (nb, nb),
            Tiling::Columns => (m.max(1), nb),
            Tiling::Rows => (nb, n.max(1)),
        }
    }

    /// The triangle that exists, if not all does.
    pub(super) fn triangle_of(&self, sizes: &Sizes) -> Option<Uplo> {
        self.is_triangle.then_some(sizes.uplo)
    }

    /// Its tiles before anything is registered; of an upper triangle as of a lower one.
    pub(super) fn grid(&self, sizes: &Sizes) -> Grid {
        let (shape, bytes) = (self.shape(sizes), sizes.precision.bytes());
        if self.is_triangle {
            return Grid::lower(shape.0, sizes.nb, bytes);
        }
        Grid::full(shape, self.tile_shape(sizes), bytes)
    }

    /// Registers it with `flow`.
    pub(super) fn register<T: Scalar>(&self, flow: &mut Flow, sizes: &Sizes) -> TileMatrix<T> {
        let storage = match self.triangle_of(sizes) {
            Some(Uplo::Lower) => Storage::Lower,
            // Of an upper one, tiles below the diagonal are never written, and so take no memory.
            Some(Uplo::Upper) | None => Storage::Full,
        };
        TileMatrix::new(flow, self.shape(sizes), self.tile_shape(sizes), storage)
    }
}
