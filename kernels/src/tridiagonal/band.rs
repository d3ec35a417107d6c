//! The lower triangle of a Hermitian band matrix, with room for what a chase fills in below it.

use crate::scalar::Scalar;
use crate::tile::TileMut;

/// A Hermitian matrix of order `n` with `width` diagonals below its own.
///
/// Entry `(i, j)` with `j <= i < j + 2 width` is at `i - j + 2 width j`: in any block of these the
/// step from a column to the next is `2 width - 1`, so that blocks are plain views.
#[derive(Clone, Debug)]
pub struct Band<T> {
    n: usize,
    width: usize,
    entries: Vec<T>,
}

impl<T: Scalar> Band<T> {
    /// Zeros.
    ///
    /// # Panics
    /// If `width` is zero.
    #[must_use]
    pub fn new(n: usize, width: usize) -> Self {
        assert!(width > 0, "a band of {width} diagonals");
        Self { n, width, entries: vec![T::ZERO; 2 * width * n] }
    }

    /// The order.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Diagonals below the main one.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Entry `(i, j)`, on or below the diagonal.
    ///
    /// # Panics
    /// If it is outside the band and the room below it.
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
        let is_inside = j <= i && i < n && i - j < 2 * width;
        assert!(is_inside, "({i}, {j}) of order {n} with {width} diagonals below the main one");
        i - j + 2 * width * j
    }

    /// The block whose first entry is `(i, j)`; of one on the diagonal the lower triangle counts.
    pub(super) fn block(&mut self, i: usize, j: usize, rows: usize, cols: usize) -> TileMut<'_, T> {
        let (first, ld) = (self.place(i, j), 2 * self.width - 1);
        TileMut::with_ld(&mut self.entries[first..], rows, cols, ld)
    }
}
