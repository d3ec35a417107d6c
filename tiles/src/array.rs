//! Gather and scatter: a tiled matrix to and from a plain array.

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};

use super::descriptor::{Storage, TileMatrix};

/// How a plain array holds an `m x n` matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Entry `(i, j)` at `i + j * ld`, `ld >= m`, as in Fortran.
    ColumnMajor {
        /// Leading dimension.
        ld: usize,
    },
    /// Entry `(i, j)` at `i * ld + j`, `ld >= n`, as in C.
    RowMajor {
        /// Leading dimension.
        ld: usize,
    },
}

impl Order {
    pub(super) fn position(self, i: usize, j: usize) -> usize {
        match self {
            Self::ColumnMajor { ld } => i + j * ld,
            Self::RowMajor { ld } => i * ld + j,
        }
    }

    /// The leading dimension.
    ///
    /// # Panics
    /// If it is less than a line of an `m x n` matrix.
    pub(super) fn check_lines(self, (m, n): (usize, usize)) -> usize {
        let (ld, least) = match self {
            Self::ColumnMajor { ld } => (ld, m),
            Self::RowMajor { ld } => (ld, n),
        };
        assert!(ld >= least, "leading dimension {ld} is less than {least}");
        ld
    }

    /// # Panics
    /// If `length` entries do not hold an `m x n` matrix in this order.
    fn check(self, (m, n): (usize, usize), length: usize) {
        let ld = self.check_lines((m, n));
        let (least, lines) = match self {
            Self::ColumnMajor { .. } => (m, n),
            Self::RowMajor { .. } => (n, m),
        };
        let needed = if m == 0 || n == 0 { 0 } else { ld * (lines - 1) + least };
        assert!(
            length >= needed,
            "{m} x {n} with leading dimension {ld} needs {needed} entries, not {length}"
        );
    }
}

impl<T: Scalar> TileMatrix<T> {
    /// Fills the tiles from `array`. Of a [`Storage::Lower`] matrix, tiles on and below the
    /// diagonal are filled whole.
    ///
    /// # Errors
    /// Those of tasks submitted before, and of allocation.
    ///
    /// # Panics
    /// If the array is too short.
    pub fn scatter(&self, flow: &mut Flow, array: &[T], order: Order) -> Result<(), FlowError> {
        order.check((self.m(), self.n()), array.len());
        self.fill_with(flow, |i, j| array[order.position(i, j)])
    }

    /// Sets entry `(i, j)` of every tile to `entry(i, j)`; failures that spoiled tiles are
    /// forgotten.
    ///
    /// # Errors
    /// Those of tasks submitted before, and of allocation.
    pub fn fill_with(
        &self,
        flow: &mut Flow,
        entry: impl Fn(usize, usize) -> T,
    ) -> Result<(), FlowError> {
        for index in self.indices() {
            let (rows, first) = (self.tile_rows(index.row), self.origin(index));
            let (columns, handle) =
                (self.tile_columns(index.column), self.tile(index.row, index.column));
            let at = |position: usize| entry(first.0 + position % rows, first.1 + position / rows);
            let is_mine = flow.is_owner(handle);
            let tile: Vec<T> =
                if is_mine { (0..rows * columns).map(at).collect() } else { Vec::new() };
            flow.overwrite(handle, &tile)?;
        }
        Ok(())
    }

    /// Copies the tiles to `array`. Of a [`Storage::Lower`] matrix only the entries on and below
    /// the diagonal are written.
    ///
    /// # Errors
    /// Those of tasks submitted before.
    ///
    /// # Panics
    /// If the array is too short.
    pub fn gather(&self, flow: &mut Flow, array: &mut [T], order: Order) -> Result<(), FlowError> {
        order.check((self.m(), self.n()), array.len());
        for index in self.indices() {
            let (rows, first) = (self.tile_rows(index.row), self.origin(index));
            let tile = flow.read::<T>(self.tile(index.row, index.column))?;
            for (position, &x) in tile.iter().enumerate() {
                let (i, j) = (first.0 + position % rows, first.1 + position / rows);
                if self.storage() == Storage::Full || i >= j {
                    array[order.position(i, j)] = x;
                }
            }
        }
        Ok(())
    }
}
