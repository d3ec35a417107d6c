//! An upper triangular band matrix, with room for what a chase fills in on both sides of it.

use crate::scalar::Scalar;
use crate::tile::TileMut;

/// An upper triangular matrix of order `n` with `width` diagonals above its own.
///
/// Entry `(i, j)` with `j - 2 width < i < j + width` is at `i - j + 2 width - 1 + (3 width - 1) j`:
/// in any block of these the step from a column to the next is `3 width - 2`, so that blocks are
/// plain views.
#[derive(Clone, Debug)]
pub struct UpperBand<T> {
    n: usize,
    width: usize,
    entries: Vec<T>,
}

impl<T: Scalar> UpperBand<T> {
    /// Zeros.
    ///
    /// # Panics
    /// If `width` is zero.
    #[must_use]
    pub fn new(n: usize, width: usize) -> Self {
        assert!(width > 0, "a band of {width} diagonals");
        Self { n, width, entries: vec![T::ZERO; (3 * width - 1) * n] }
    }

    /// The order.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Diagonals above the main one.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Entry `(i, j)`.
    ///
    /// # Panics
    /// If it is outside the band and the room beside it.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.entries[self.place(i, j)]
    }

    /// Sets entry `(i, j)`.
    ///
    /// # Panics
    /// As [`at`](Self::at).
    pub fn set(&mut self, i: usize, j: usize, entry: T) {
        let place = self.place(i, j);
        self.entries[place] = entry;
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let &Self { n, width, .. } = self;
        let is_inside = i < n && j < n && j < i + 2 * width && i < j + width;
        assert!(is_inside, "({i}, {j}) of order {n} with {width} diagonals above the main one");
        i + 2 * width - 1 - j + (3 * width - 1) * j
    }

    /// The block whose first entry is `(i, j)`.
    pub(super) fn block(&mut self, i: usize, j: usize, rows: usize, cols: usize) -> TileMut<'_, T> {
        // The step from one column to the next matters only where there is one.
        let ld = if cols == 1 { rows } else { 3 * self.width - 2 };
        let first = self.place(i, j);
        TileMut::with_ld(&mut self.entries[first..], rows, cols, ld)
    }
}
