//! The matrices of an algorithm as its file states them: shape, tiles, which triangle, which
//! entries. Memory, tasks that fill them and checks derive from that.

use tegula_kernels::option::{Side, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::{Storage, TileMatrix};

use super::layout::{Blocks, Layout};
use super::random::Entries;
use super::sizes::{Size, Sizes};
use tegula_tiles::TileGrid;

/// How a matrix is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tiling {
    /// Square tiles of order `nb`.
    Squares,
    /// Columns of blocks: tiles as high as the matrix, `nb` wide.
    Columns,
    /// Rows of blocks: tiles as wide as the matrix, `nb` high.
    Rows,
    /// Columns of blocks, narrow enough for all workers to have some.
    Shares,
    /// Columns of blocks if the matrix has as many rows as columns or more, else rows of blocks.
    Lines,
    /// Columns of blocks if what it is multiplied by stands on the left, else rows of blocks.
    Sided,
    /// Square tiles of two thirds of the order.
    Smaller,
    /// As many matrices as a batch has, side by side, `nb` of them in a tile.
    Problems,
}

/// Which file a matrix may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// None.
    Other,
    /// That of `--input`.
    Matrix,
    /// That of `--rhs`.
    RightSides,
}

/// Two thirds of the order of a tile, at least 1.
fn smaller(nb: usize) -> usize {
    (2 * nb / 3).max(1)
}

/// A matrix of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    rows: Size,
    columns: Size,
    tiling: Tiling,
    /// Of which only the triangle that `--uplo` names exists.
    is_triangle: bool,
    /// What it is filled with.
    pub entries: Entries,
    /// Rows that a file of it has.
    rows_read: Size,
    /// Rows that are written.
    pub rows_written: Size,
    /// Which file it may come from.
    pub role: Role,
    /// Whether it is what `--output` writes.
    pub is_result: bool,
}

impl Operand {
    /// A `rows x columns` matrix in square tiles.
    pub const fn full(rows: Size, columns: Size, entries: Entries) -> Self {
        Self {
            rows,
            columns,
            tiling: Tiling::Squares,
            is_triangle: false,
            entries,
            rows_read: rows,
            rows_written: rows,
            role: Role::Other,
            is_result: false,
        }
    }

    /// A triangle of a square matrix of this order in square tiles, that which `--uplo` names: what
    /// the other one holds is not a number.
    pub const fn triangle(order: Size, entries: Entries) -> Self {
        Self { is_triangle: true, ..Self::full(order, order, entries) }
    }

    /// In columns of blocks.
    pub const fn columns(self) -> Self {
        Self { tiling: Tiling::Columns, ..self }
    }

    /// In columns of blocks, narrow enough for all workers to have some.
    pub const fn shares(self) -> Self {
        Self { tiling: Tiling::Shares, ..self }
    }

    /// In rows of blocks.
    pub const fn rows(self) -> Self {
        Self { tiling: Tiling::Rows, ..self }
    }

    /// In columns of blocks if it has as many rows as columns or more, else in rows of blocks.
    pub const fn lines(self) -> Self {
        Self { tiling: Tiling::Lines, ..self }
    }

    /// In columns of blocks if what it is multiplied by stands on the left, else in rows of blocks.
    pub const fn sided(self) -> Self {
        Self { tiling: Tiling::Sided, ..self }
    }

    /// In smaller square tiles than other matrices.
    pub const fn in_smaller_tiles(self) -> Self {
        Self { tiling: Tiling::Smaller, ..self }
    }

    /// For each problem of a batch: side by side, as many as the order of the tiles in each tile.
    pub const fn problems(self) -> Self {
        Self { tiling: Tiling::Problems, ..self }
    }

    /// With only the first `read` of its rows in a file that it comes from, and the first `written`
    /// of them in one that it goes to.
    pub const fn rows_in_files(self, read: Size, written: Size) -> Self {
        Self { rows_read: read, rows_written: written, ..self }
    }

    /// As `--input` gives it.
    pub const fn input(self) -> Self {
        Self { role: Role::Matrix, ..self }
    }

    /// As `--rhs` gives it.
    pub const fn right_sides(self) -> Self {
        Self { role: Role::RightSides, ..self }
    }

    /// What `--output` writes.
    pub const fn result(self) -> Self {
        Self { is_result: true, ..self }
    }

    /// The letters of the shape of a file of it.
    pub fn letters(&self, sizes: &Sizes) -> [Size; 2] {
        [self.rows_read, self.columns].map(|size| sizes.resolved(size))
    }

    /// This shape in words.
    pub fn describe(&self, sizes: &Sizes) -> String {
        let [rows, columns] = self.letters(sizes).map(Size::name);
        if self.is_batch() {
            return format!("{rows} x ({columns} {})", Size::Count.name());
        }
        format!("{rows} x {columns}")
    }

    /// Whether it is in columns or rows of blocks.
    pub fn is_cut_one_way(&self) -> bool {
        !matches!(self.tiling, Tiling::Squares | Tiling::Smaller | Tiling::Problems)
    }

    /// Whether there is one for each problem of a batch.
    pub fn is_batch(&self) -> bool {
        self.tiling == Tiling::Problems
    }

    /// Rows and columns; of a batch, those of each problem.
    pub fn shape(&self, sizes: &Sizes) -> (usize, usize) {
        (sizes.of(self.rows), sizes.of(self.columns))
    }

    /// Rows and columns of what is stored.
    fn stored(&self, sizes: &Sizes) -> (usize, usize) {
        let (rows, columns) = self.shape(sizes);
        if self.is_batch() { (rows, columns * sizes.count) } else { (rows, columns) }
    }

    /// Rows and columns of a tile.
    fn tile_shape(&self, sizes: &Sizes) -> (usize, usize) {
        let ((m, n), nb) = (self.shape(sizes), sizes.nb);
        match self.tiling {
            Tiling::Squares => (nb, nb),
            Tiling::Smaller => (smaller(nb), smaller(nb)),
            Tiling::Problems => (m.max(1), (n * nb).max(1)),
            Tiling::Sided if sizes.options.side == Side::Right => (nb, n.max(1)),
            Tiling::Columns | Tiling::Sided => (m.max(1), nb),
            Tiling::Shares => (m.max(1), nb.min(n.div_ceil(sizes.sharers)).max(1)),
            Tiling::Lines if m >= n => (m.max(1), nb),
            Tiling::Rows | Tiling::Lines => (nb, n.max(1)),
        }
    }

    /// What of it is stored.
    pub fn layout(&self, sizes: &Sizes) -> Layout {
        let blocks = self.is_batch().then(|| Blocks::new(self.shape(sizes), sizes.count));
        Layout { triangle: self.is_triangle.then_some(sizes.uplo), blocks }
    }

    /// The triangle that tiles are left out for.
    fn cut_triangle(&self, sizes: &Sizes) -> Option<Uplo> {
        self.layout(sizes).triangle.filter(|_| !self.is_batch())
    }

    /// Whether both its edges grow with the matrices of a problem, not with what is solved for.
    pub(super) fn is_large(&self) -> bool {
        !matches!(self.columns, Size::Nrhs | Size::One)
    }

    /// Which of its tiles there are; of an upper triangle as of a lower one.
    pub(super) fn storage(&self) -> Storage {
        if self.is_triangle && !self.is_batch() { Storage::Lower } else { Storage::Full }
    }

    /// Its tiles before anything is registered; of an upper triangle as of a lower one.
    pub fn grid(&self, sizes: &Sizes) -> TileGrid {
        let (shape, bytes) = (self.stored(sizes), sizes.precision.bytes());
        if self.storage() == Storage::Lower {
            return TileGrid::lower(shape.0, sizes.nb, bytes);
        }
        TileGrid::full(shape, self.tile_shape(sizes), bytes)
    }

    /// Registers it with `flow`.
    pub fn register<T: Scalar>(&self, flow: &mut Flow, sizes: &Sizes) -> TileMatrix<T> {
        let storage = match self.cut_triangle(sizes) {
            Some(Uplo::Lower) => Storage::Lower,
            // Of an upper one, tiles below the diagonal are never written, and so take no memory.
            Some(Uplo::Upper) | None => Storage::Full,
        };
        TileMatrix::new(flow, self.stored(sizes), self.tile_shape(sizes), storage)
    }
}
