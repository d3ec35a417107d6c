//! Views of the tiles that a task works on: the runtime's own buffers, which have no gaps, and
//! blocks of an array that the program lends.

use bytemuck::Pod;
use tegula_runtime::flow::{Buffers, Lines};

use super::{TileMut, TileRef, check_fit};

impl<'a, T: Pod> TileRef<'a, T> {
    /// The `rows x cols` tile in buffer `index`, to read.
    ///
    /// # Panics
    /// If the buffer has another shape, or as [`Buffers::region`].
    #[must_use]
    pub fn of(buffers: &'a Buffers<'_>, index: usize, rows: usize, cols: usize) -> Self {
        let region = buffers.region::<T>(index);
        let (row_stride, col_stride) = whole(region.block(), region.length(), (rows, cols));
        // SAFETY: a region holds valid elements that nobody writes, and `whole` has compared
        // shapes.
        unsafe { Self::from_raw(region.pointer(), rows, cols, row_stride, col_stride) }
    }

    /// The first `rows x cols` elements of the tile in buffer `index`, which has `ld` rows, to
    /// read.
    ///
    /// # Panics
    /// If the tile has another number of rows or is too small, or as [`Buffers::region`].
    #[must_use]
    pub fn corner_of(
        buffers: &'a Buffers<'_>,
        index: usize,
        ld: usize,
        (rows, cols): (usize, usize),
    ) -> Self {
        let region = buffers.region::<T>(index);
        let (row_stride, col_stride) = corner(region.block(), region.length(), ld, (rows, cols));
        // SAFETY: as above; the corner is inside the tile.
        unsafe { Self::from_raw(region.pointer(), rows, cols, row_stride, col_stride) }
    }
}

impl<'a, T: Pod> TileMut<'a, T> {
    /// The `rows x cols` tile in buffer `index`, to write.
    ///
    /// # Panics
    /// If the buffer has another shape, or as [`Buffers::region_mut`].
    #[must_use]
    pub fn of(buffers: &'a Buffers<'_>, index: usize, rows: usize, cols: usize) -> Self {
        let region = buffers.region_mut::<T>(index);
        let (row_stride, col_stride) = whole(region.block(), region.length(), (rows, cols));
        let (pointer, lifetime) = (region.pointer(), std::marker::PhantomData);
        // A region to write is handed out once, and `whole` has compared shapes.
        Self { pointer, rows, cols, row_stride, col_stride, lifetime }
    }
}

/// Strides of a `rows x cols` tile that fills its buffer.
///
/// # Panics
/// If it does not.
fn whole(block: Option<Lines>, length: usize, (rows, cols): (usize, usize)) -> (usize, usize) {
    let Some(lines) = block else {
        assert!(length == rows * cols, "{length} elements are not a tile of {rows} x {cols}");
        return (1, rows.max(1));
    };
    let shape = shape(lines);
    assert!(shape == (rows, cols), "a lent block of {shape:?} is not a tile of {rows} x {cols}");
    strides(lines)
}

/// Strides of a tile with `ld` rows whose first `rows x cols` elements count.
///
/// # Panics
/// If it has other rows or too few columns.
fn corner(
    block: Option<Lines>,
    length: usize,
    ld: usize,
    (rows, cols): (usize, usize),
) -> (usize, usize) {
    let Some(lines) = block else {
        check_fit(length, rows, cols, ld);
        return (1, ld);
    };
    let (height, width) = shape(lines);
    assert!(height == ld, "a lent block of {height} rows is not a tile of {ld}");
    assert!(
        rows <= height && cols <= width,
        "a lent block of {height} x {width} does not hold {rows} x {cols}"
    );
    strides(lines)
}

/// Rows and columns of a tile in these lines.
fn shape(Lines { lines, length, is_turned, .. }: Lines) -> (usize, usize) {
    if is_turned { (lines, length) } else { (length, lines) }
}

/// From a row to the next, and from a column to the next.
fn strides(Lines { pitch, is_turned, .. }: Lines) -> (usize, usize) {
    if is_turned { (pitch, 1) } else { (1, pitch) }
}
