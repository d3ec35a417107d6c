//! The lower triangle of a Hermitian matrix in shares, each with some of its block columns.

use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Number of shares: the task of a column takes their products as so many buffers.
pub const PARTS: usize = 4;

/// How the lower triangle of a matrix of order `n` is shared out: block columns of `width`, each
/// from its diagonal down and without gaps, go to the shares forth and back, so that all have about
/// as much of what is left when columns are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The order.
    pub n: usize,
    /// Columns of a block.
    pub width: usize,
}

/// A block column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockColumn {
    /// The first row and column.
    pub first: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Where it begins in its share.
    pub offset: usize,
}

impl Shares {
    /// The share of block column `block`.
    #[must_use]
    pub fn part(&self, block: usize) -> usize {
        let place = block % (2 * PARTS);
        place.min(2 * PARTS - 1 - place)
    }

    /// The block columns of a share, from the first on.
    pub fn of(self, part: usize) -> impl Iterator<Item = BlockColumn> {
        let blocks = 0..self.n.div_ceil(self.width);
        let mine = blocks.filter(move |&block| self.part(block) == part);
        mine.scan(0, move |offset, block| {
            let first = block * self.width;
            let (rows, columns) = (self.n - first, self.width.min(self.n - first));
            let block = BlockColumn { first, rows, columns, offset: *offset };
            *offset += rows * columns;
            Some(block)
        })
    }

    /// Entries of a share.
    #[must_use]
    pub fn entries(self, part: usize) -> usize {
        self.of(part).map(|block| block.rows * block.columns).sum()
    }

    /// The share and the block column in which column `j` stands.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn find(self, j: usize) -> (usize, BlockColumn) {
        let part = self.part(j / self.width);
        let first = j / self.width * self.width;
        let block = self.of(part).find(|block| block.first == first);
        (part, block.unwrap_or_else(|| panic!("column {j} of {}", self.n)))
    }
}

impl BlockColumn {
    /// The block in its share.
    pub(super) fn read<T: Scalar>(self, share: &[T]) -> TileRef<'_, T> {
        TileRef::new(&share[self.offset..][..self.rows * self.columns], self.rows, self.columns)
    }

    /// The block in its share, to be written.
    pub(super) fn write<T: Scalar>(self, share: &mut [T]) -> TileMut<'_, T> {
        let entries = &mut share[self.offset..][..self.rows * self.columns];
        TileMut::new(entries, self.rows, self.columns)
    }

    /// How many of its columns come before column `from` of the matrix.
    pub(super) fn done(self, from: usize) -> usize {
        from.saturating_sub(self.first).min(self.columns)
    }
}
