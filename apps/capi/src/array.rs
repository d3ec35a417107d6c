//! Arrays of the caller's: from a pointer and a leading dimension to views and tiles.
#![allow(unsafe_code)]

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, Storage, TileMatrix};

/// An array of the caller's.
///
/// Whoever makes one promises what LAPACK's documentation asks of the caller of the routine: as
/// long as the routine runs, each entry that the routine is documented to use is valid for reads,
/// and, of an array that it overwrites, for writes; nobody else writes them, nor reads
/// those that are overwritten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T> {
    first: *mut T,
}

impl<T: Copy> Array<T> {
    /// The array that begins at `first`.
    ///
    /// # Safety
    /// The promise of the type.
    pub(crate) const unsafe fn new(first: *mut T) -> Self {
        Self { first }
    }

    /// The array that is a slice, which outlives its use.
    pub(crate) fn of(entries: &mut [T]) -> Self {
        Self { first: entries.as_mut_ptr() }
    }

    /// The array from entry `index` on.
    pub(crate) fn after(self, index: usize) -> Self {
        Self { first: self.first.wrapping_add(index) }
    }

    /// Whether there is none.
    pub(crate) fn is_null(self) -> bool {
        self.first.is_null()
    }

    /// Where it begins.
    pub(crate) const fn pointer(self) -> *mut T {
        self.first
    }

    /// Copies its first entries to `entries`.
    pub(crate) fn read(self, entries: &mut [T]) {
        // SAFETY: the promise of the type.
        unsafe { self.first.copy_to_nonoverlapping(entries.as_mut_ptr(), entries.len()) };
    }

    /// Replaces its first entries by `entries`.
    pub(crate) fn write(self, entries: &[T]) {
        // SAFETY: the promise of the type.
        unsafe { self.first.copy_from_nonoverlapping(entries.as_ptr(), entries.len()) };
    }

    /// Entry `index`.
    pub(crate) fn get(self, index: usize) -> T {
        // SAFETY: the promise of the type.
        unsafe { *self.first.add(index) }
    }

    /// Sets entry `index`.
    pub(crate) fn set(self, index: usize, value: T) {
        // SAFETY: the promise of the type.
        unsafe { self.first.add(index).write(value) }
    }

    /// The first `length` entries, all of which the routine overwrites, and nobody else uses.
    pub(crate) fn slice<'a>(self, length: usize) -> &'a mut [T] {
        if length == 0 {
            return &mut [];
        }
        // SAFETY: the promise of the type.
        unsafe { std::slice::from_raw_parts_mut(self.first, length) }
    }

    /// The first entries as a column-major matrix.
    pub(crate) const fn matrix(self, rows: usize, cols: usize, ld: usize) -> Matrix<T> {
        Matrix { first: self.first, rows, cols, order: Order::ColumnMajor { ld } }
    }

    /// The square matrix of which the triangle `uplo` is stored, so turned that it is the lower
    /// one.
    pub(crate) const fn lower(self, uplo: Uplo, n: usize, ld: usize) -> Matrix<T> {
        let matrix = self.matrix(n, n, ld);
        match uplo {
            Uplo::Lower => matrix,
            Uplo::Upper => matrix.transposed(),
        }
    }
}

/// A matrix in an array of the caller's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<T> {
    first: *mut T,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Number of columns.
    pub(crate) cols: usize,
    order: Order,
}

impl<T: Copy> Matrix<T> {
    /// The square matrix of order `n` in `entries`, without gaps, which is only read and outlives
    /// its use.
    pub(crate) fn of(entries: &[T], n: usize) -> Self {
        assert!(entries.len() == n * n, "{} entries are not {n} x {n}", entries.len());
        let order = Order::ColumnMajor { ld: n };
        Self { first: entries.as_ptr().cast_mut(), rows: n, cols: n, order }
    }

    /// The transposed matrix, in the same memory.
    pub(crate) const fn transposed(self) -> Self {
        let order = match self.order {
            Order::ColumnMajor { ld } => Order::RowMajor { ld },
            Order::RowMajor { ld } => Order::ColumnMajor { ld },
        };
        Self { rows: self.cols, cols: self.rows, order, ..self }
    }

    /// The first `rows` rows and `cols` columns, of which there must be as many.
    pub(crate) fn corner(self, rows: usize, cols: usize) -> Self {
        let (m, n) = (self.rows, self.cols);
        assert!(rows <= m && cols <= n, "a corner of {rows} x {cols} of {m} x {n}");
        Self { rows, cols, ..self }
    }

    /// The rows from `first` on, of which there must be as many.
    pub(crate) fn bottom(self, first: usize) -> Self {
        let m = self.rows;
        assert!(first <= m, "rows from {first} on of {m}");
        let (down, _) = self.strides();
        Self { first: self.first.wrapping_add(first * down), rows: m - first, ..self }
    }

    /// From a row to the next, and from a column to the next.
    const fn strides(self) -> (usize, usize) {
        match self.order {
            Order::ColumnMajor { ld } => (1, ld),
            Order::RowMajor { ld } => (ld, 1),
        }
    }

    /// The matrix, to read.
    pub(crate) fn view<'a>(self) -> TileRef<'a, T> {
        let (down, right) = self.strides();
        // SAFETY: the promise of the array.
        unsafe { TileRef::from_raw(self.first, self.rows, self.cols, down, right) }
    }

    /// The matrix, to write.
    pub(crate) fn view_mut<'a>(self) -> TileMut<'a, T> {
        let (down, right) = self.strides();
        // SAFETY: the promise of the array.
        unsafe { TileMut::from_raw(self.first, self.rows, self.cols, down, right) }
    }
}

impl<T: Scalar> Matrix<T> {
    /// Copies a matrix in tiles into this one, all of which the routine overwrites.
    ///
    /// # Errors
    /// Those of the tasks that make the tiles.
    pub(crate) fn gather(self, flow: &mut Flow, tiles: &TileMatrix<T>) -> Result<(), FlowError> {
        let (Order::ColumnMajor { ld } | Order::RowMajor { ld }) = self.order;
        let (lines, length) = match self.order {
            Order::ColumnMajor { .. } => (self.cols, self.rows),
            Order::RowMajor { .. } => (self.rows, self.cols),
        };
        if lines == 0 || length == 0 {
            return Ok(());
        }
        let entries = Array { first: self.first }.slice(ld * (lines - 1) + length);
        tiles.gather(flow, entries, self.order)
    }

    /// The matrix in tiles of `mb x nb`.
    pub(crate) const fn in_tiles(self, mb: usize, nb: usize) -> Tiled<T> {
        Tiled { matrix: self, tile: (mb, nb), storage: Storage::Full }
    }

    /// The lower triangle in tiles of order `nb`.
    pub(crate) const fn lower_in_tiles(self, nb: usize) -> Tiled<T> {
        Tiled { matrix: self, tile: (nb, nb), storage: Storage::Lower }
    }
}

/// A matrix in an array of the caller's, and the tiles to cut it into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiled<T> {
    matrix: Matrix<T>,
    tile: (usize, usize),
    storage: Storage,
}

impl<T: Scalar> Tiled<T> {
    /// The tiles, as handles of `flow`, which must be unregistered before the routine returns.
    pub(crate) fn lend(self, flow: &mut Flow) -> TileMatrix<T> {
        let Self { matrix: Matrix { first, rows, cols, order }, tile, storage } = self;
        // SAFETY: the promise of the array, which lasts until the routine returns.
        unsafe { TileMatrix::lent(flow, first, order, (rows, cols), tile, storage) }
    }
}
