//! Tiled matrices in place, on an array of the caller's.

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_runtime::memory::Block;
use tegula_runtime::ranks::Rank;

use super::array::Order;
use super::descriptor::{Storage, TileMatrix};

impl<T: Scalar> TileMatrix<T> {
    /// The `m x n` matrix in `array`, cut into `mb x nb` tiles on which tasks work in place; the
    /// flow must [work in place](Flow::works_in_place).
    ///
    /// Nothing but the entries of tiles that exist is read or written: of a [`Storage::Lower`]
    /// matrix the tiles on the diagonal are whole, and kernels keep to the triangle that they
    /// are told. The upper triangle of an array in columns is the lower one, transposed, of the
    /// same array taken by rows: [`Order::RowMajor`] with the same `ld`.
    ///
    /// The tiles are no slices, unless they are whole columns without gaps: [`gather`],
    /// [`scatter`] and [`Flow::read`] panic. The array itself shows the entries, after
    /// [`Flow::wait`] and before the next task.
    ///
    /// [`gather`]: TileMatrix::gather
    /// [`scatter`]: TileMatrix::scatter
    ///
    /// # Safety
    /// Until the matrix is [unregistered](TileMatrix::unregister) or the flow is dropped,
    /// every entry of its tiles is valid for reads and writes through `array`, from any thread,
    /// and initialised. While a task that uses a tile is unfinished, nothing else writes that
    /// tile's entries, nor reads them if the task writes; another matrix of the flow may stand
    /// on other entries of the array.
    ///
    /// # Panics
    /// As [`TileMatrix::new`]; if the leading dimension is less than a line, or the flow does not
    /// work in place.
    #[allow(unsafe_code)]
    #[must_use]
    pub unsafe fn lent(
        flow: &mut Flow,
        array: *mut T,
        order: Order,
        (m, n): (usize, usize),
        (mb, nb): (usize, usize),
        storage: Storage,
    ) -> Self {
        let ld = order.check_lines((m, n));
        Self::made_of((m, n), (mb, nb), storage, |first, (rows, columns)| {
            let pointer = array.wrapping_add(order.position(first.0, first.1));
            let block = match order {
                Order::ColumnMajor { .. } => Block::new(pointer, (columns, rows), ld),
                Order::RowMajor { .. } => Block::new(pointer, (rows, columns), ld).turned(),
            };
            // SAFETY: the caller's promise, for the part of the array that is this tile.
            unsafe { flow.lend(block) }
        })
    }

    /// The `m x n` matrix whose `mb x nb` tiles stand in arrays of several ranks: `part` answers,
    /// of the row and column of a tile's first entry, who has the tile and, there, the address of
    /// that entry in an array of columns that are `ld` entries apart. As [`lent`](Self::lent), on
    /// each rank.
    ///
    /// # Safety
    /// That of [`lent`](Self::lent), for the tiles of this rank; all ranks answer alike.
    ///
    /// # Panics
    /// As [`lent`](Self::lent).
    #[allow(unsafe_code)]
    #[must_use]
    pub unsafe fn lent_by_ranks(
        flow: &mut Flow,
        (m, n): (usize, usize),
        (mb, nb): (usize, usize),
        storage: Storage,
        ld: usize,
        part: impl Fn(usize, usize) -> (Rank, *mut T),
    ) -> Self {
        Self::made_of((m, n), (mb, nb), storage, |(row, column), (rows, columns)| {
            let (owner, first) = part(row, column);
            let block = || Block::new(first, (columns, rows), ld);
            // SAFETY: the caller's promise, for the part of the array that is this tile.
            unsafe { flow.lend_at(owner, rows * columns * size_of::<T>(), block) }
        })
    }
}
