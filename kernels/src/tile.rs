//! Views of a tile: borrowed matrices with strides, cut and transposed without a copy.
//!
//! The only place where a matrix element is reached through a pointer by safe code: each access
//! is checked against the shape of its view.
#![allow(unsafe_code)]

mod of;
mod parts;

use std::fmt;
use std::marker::PhantomData;

use crate::scalar::Scalar;

/// A matrix to read: `rows x cols`, element `(i, j)` at `i * row_stride + j * col_stride`, or its
/// complex conjugate.
pub struct TileRef<'a, T> {
    pointer: *const T,
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
    conjugated: bool,
    lifetime: PhantomData<&'a [T]>,
}

/// A matrix to write: as [`TileRef`], and nobody else reaches its elements.
pub struct TileMut<'a, T> {
    pointer: *mut T,
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

impl<T> Clone for TileRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TileRef<'_, T> {}

// SAFETY: a `TileRef` gives what `&[T]` gives, a `TileMut` what `&mut [T]` gives.
unsafe impl<T: Sync> Send for TileRef<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for TileRef<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for TileMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for TileMut<'_, T> {}

/// Panics unless `length` elements hold a `rows x cols` matrix of leading dimension `ld`.
fn check_fit(length: usize, rows: usize, cols: usize, ld: usize) {
    assert!(ld >= rows.max(1), "leading dimension {ld} is less than {rows} rows");
    let needed = if rows == 0 || cols == 0 { 0 } else { (cols - 1) * ld + rows };
    assert!(length >= needed, "{length} elements do not hold {rows} x {cols} with ld {ld}");
}

impl<'a, T> TileRef<'a, T> {
    /// A column-major matrix without gaps.
    ///
    /// # Panics
    /// If `elements` is not exactly `rows * cols` long.
    #[must_use]
    pub fn new(elements: &'a [T], rows: usize, cols: usize) -> Self {
        let length = elements.len();
        assert!(length == rows * cols, "{length} elements are not a tile of {rows} x {cols}");
        Self::with_ld(elements, rows, cols, rows.max(1))
    }

    /// A column-major matrix whose columns begin `ld` elements apart.
    ///
    /// # Panics
    /// If `ld < rows` or `elements` is too short.
    #[must_use]
    pub fn with_ld(elements: &'a [T], rows: usize, cols: usize, ld: usize) -> Self {
        check_fit(elements.len(), rows, cols, ld);
        // SAFETY: `check_fit` has compared the last element's offset with the length.
        unsafe { Self::from_raw(elements.as_ptr(), rows, cols, 1, ld) }
    }

    /// A matrix whose element `(i, j)` lies `i * row_stride + j * col_stride` elements after
    /// `pointer`.
    ///
    /// # Safety
    /// Every element `(i, j)` of the shape is valid to read during `'a` and not written by others.
    #[must_use]
    pub unsafe fn from_raw(
        pointer: *const T,
        rows: usize,
        cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Self {
        Self {
            pointer,
            rows,
            cols,
            row_stride,
            col_stride,
            conjugated: false,
            lifetime: PhantomData,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements between a row and the next.
    #[must_use]
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Elements between a column and the next: the leading dimension when `row_stride` is 1.
    #[must_use]
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// Address of element `(0, 0)`.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.pointer
    }

    /// The transposed matrix, in the same memory.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// The matrix of conjugate entries, in the same memory.
    #[must_use]
    pub fn conjugated(self) -> Self {
        Self { conjugated: !self.conjugated, ..self }
    }

    /// The conjugate transpose, in the same memory.
    #[must_use]
    pub fn adjoint(self) -> Self {
        self.transposed().conjugated()
    }

    /// Whether entries are the conjugates of the elements in memory; of no meaning for real ones.
    #[must_use]
    pub fn is_conjugated(&self) -> bool {
        self.conjugated
    }

    /// The `rows x cols` part whose first element is `(row, col)`.
    ///
    /// # Panics
    /// If the part leaves the matrix.
    #[must_use]
    pub fn part(self, row: usize, col: usize, rows: usize, cols: usize) -> Self {
        check_part((self.rows, self.cols), (row, col), (rows, cols));
        let offset = if rows == 0 || cols == 0 { 0 } else { self.offset(row, col) };
        // SAFETY: `check_part` has kept the part inside the matrix.
        let pointer = unsafe { self.pointer.add(offset) };
        Self { pointer, rows, cols, ..self }
    }

    /// Element `(i, j)`.
    ///
    /// # Panics
    /// If it is outside the matrix.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> T
    where
        T: Scalar,
    {
        check_inside((self.rows, self.cols), (i, j));
        // SAFETY: just checked.
        let element = unsafe { *self.pointer.add(self.offset(i, j)) };
        if T::IS_COMPLEX && self.conjugated { element.conj() } else { element }
    }

    /// Column `j` as a slice; `None` if the rows are not adjacent in memory, or its elements are to
    /// be conjugated.
    ///
    /// # Panics
    /// If there is no column `j`.
    #[inline]
    #[must_use]
    pub fn col(&self, j: usize) -> Option<&'a [T]>
    where
        T: Scalar,
    {
        let cols = self.cols;
        assert!(j < cols, "column {j} of {cols}");
        if self.row_stride != 1 && self.rows > 1 || T::IS_COMPLEX && self.conjugated {
            return None;
        }
        let offset = if self.rows == 0 { 0 } else { self.offset(0, j) };
        // SAFETY: column `j` is inside the matrix and its rows are adjacent.
        Some(unsafe { std::slice::from_raw_parts(self.pointer.add(offset), self.rows) })
    }

    #[inline]
    fn offset(&self, i: usize, j: usize) -> usize {
        i * self.row_stride + j * self.col_stride
    }
}

impl<'a, T> TileMut<'a, T> {
    /// A column-major matrix without gaps.
    ///
    /// # Panics
    /// If `elements` is not exactly `rows * cols` long.
    #[must_use]
    pub fn new(elements: &'a mut [T], rows: usize, cols: usize) -> Self {
        let length = elements.len();
        assert!(length == rows * cols, "{length} elements are not a tile of {rows} x {cols}");
        Self::with_ld(elements, rows, cols, rows.max(1))
    }

    /// A column-major matrix whose columns begin `ld` elements apart.
    ///
    /// # Panics
    /// If `ld < rows` or `elements` is too short.
    #[must_use]
    pub fn with_ld(elements: &'a mut [T], rows: usize, cols: usize, ld: usize) -> Self {
        check_fit(elements.len(), rows, cols, ld);
        let pointer = elements.as_mut_ptr();
        // Column stride `ld`, row stride 1: inside the slice by `check_fit`.
        Self { pointer, rows, cols, row_stride: 1, col_stride: ld, lifetime: PhantomData }
    }

    /// A matrix whose element `(i, j)` lies `i * row_stride + j * col_stride` elements after
    /// `pointer`.
    ///
    /// # Safety
    /// Every element `(i, j)` of the shape is valid to read and write during `'a`, is no other
    /// element of it, and is neither read nor written by others.
    #[must_use]
    pub unsafe fn from_raw(
        pointer: *mut T,
        rows: usize,
        cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Self {
        Self { pointer, rows, cols, row_stride, col_stride, lifetime: PhantomData }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements between a row and the next.
    #[must_use]
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Elements between a column and the next: the leading dimension when `row_stride` is 1.
    #[must_use]
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// Address of element `(0, 0)`.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// The same matrix, to read.
    #[must_use]
    pub fn as_ref(&self) -> TileRef<'_, T> {
        let &Self { pointer, rows, cols, row_stride, col_stride, .. } = self;
        // SAFETY: the borrow of `self` keeps writers away.
        unsafe { TileRef::from_raw(pointer, rows, cols, row_stride, col_stride) }
    }

    /// The same matrix for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> TileMut<'_, T> {
        TileMut { lifetime: PhantomData, ..*self }
    }

    /// The transposed matrix, in the same memory.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// The `rows x cols` part whose first element is `(row, col)`.
    ///
    /// # Panics
    /// If the part leaves the matrix.
    #[must_use]
    pub fn part(self, row: usize, col: usize, rows: usize, cols: usize) -> Self {
        check_part((self.rows, self.cols), (row, col), (rows, cols));
        let offset = if rows == 0 || cols == 0 { 0 } else { self.offset(row, col) };
        // SAFETY: `check_part` has kept the part inside the matrix.
        let pointer = unsafe { self.pointer.add(offset) };
        Self { pointer, rows, cols, ..self }
    }

    /// The first `row` rows and the others.
    ///
    /// # Panics
    /// If `row` exceeds the number of rows.
    #[must_use]
    pub fn split_rows(self, row: usize) -> (Self, Self) {
        let (rows, cols) = (self.rows, self.cols);
        // Two names for one matrix, cut at once into disjoint parts.
        let twin = TileMut { lifetime: PhantomData, ..self };
        (self.part(0, 0, row, cols), twin.part(row, 0, rows - row, cols))
    }

    /// The first `col` columns and the others.
    ///
    /// # Panics
    /// If `col` exceeds the number of columns.
    #[must_use]
    pub fn split_cols(self, col: usize) -> (Self, Self) {
        let (left, right) = self.transposed().split_rows(col);
        (left.transposed(), right.transposed())
    }

    /// The four quadrants `[(top left, top right), (bottom left, bottom right)]` around
    /// `(row, col)`.
    ///
    /// # Panics
    /// If `(row, col)` is outside the matrix by more than its edge.
    #[must_use]
    pub fn split(self, row: usize, col: usize) -> [(Self, Self); 2] {
        let (top, bottom) = self.split_rows(row);
        [top.split_cols(col), bottom.split_cols(col)]
    }

    /// Element `(i, j)`.
    ///
    /// # Panics
    /// If it is outside the matrix.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> T
    where
        T: Copy,
    {
        check_inside((self.rows, self.cols), (i, j));
        // SAFETY: just checked.
        unsafe { *self.pointer.add(self.offset(i, j)) }
    }

    /// Sets element `(i, j)`.
    ///
    /// # Panics
    /// If it is outside the matrix.
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, value: T) {
        check_inside((self.rows, self.cols), (i, j));
        // SAFETY: just checked.
        unsafe { self.pointer.add(self.offset(i, j)).write(value) }
    }

    /// Column `j` as a slice; `None` if the rows are not adjacent in memory.
    ///
    /// # Panics
    /// If there is no column `j`.
    #[inline]
    #[must_use]
    pub fn col_mut(&mut self, j: usize) -> Option<&mut [T]> {
        let cols = self.cols;
        assert!(j < cols, "column {j} of {cols}");
        if self.row_stride != 1 && self.rows > 1 {
            return None;
        }
        let offset = if self.rows == 0 { 0 } else { self.offset(0, j) };
        // SAFETY: column `j` is inside the matrix and its rows are adjacent.
        Some(unsafe { std::slice::from_raw_parts_mut(self.pointer.add(offset), self.rows) })
    }

    /// All columns, each a slice; `None` if the rows are not adjacent in memory.
    #[must_use]
    pub fn into_cols(self) -> Option<impl Iterator<Item = &'a mut [T]>> {
        let Self { pointer, rows, cols, row_stride, col_stride, .. } = self;
        (row_stride == 1 || rows <= 1).then(|| {
            (0..cols).map(move |j| {
                let offset = if rows == 0 { 0 } else { j * col_stride };
                // SAFETY: column `j` is inside the matrix, its rows are adjacent, and no two
                // columns overlap.
                unsafe { std::slice::from_raw_parts_mut(pointer.add(offset), rows) }
            })
        })
    }

    #[inline]
    fn offset(&self, i: usize, j: usize) -> usize {
        i * self.row_stride + j * self.col_stride
    }
}

impl<T: Scalar> TileMut<'_, T> {
    /// Applies `change` to every element, in memory order.
    pub fn apply(&mut self, mut change: impl FnMut(T) -> T) {
        if self.row_stride != 1 && self.col_stride == 1 {
            return self.reborrow().transposed().apply(change);
        }
        for j in 0..self.cols {
            for i in 0..self.rows {
                self.set(i, j, change(self.at(i, j)));
            }
        }
    }

    /// Multiplies by `factor`; a factor of zero overwrites whatever was there, NaN included.
    pub fn scale(&mut self, factor: T) {
        if factor == T::ZERO {
            self.apply(|_| T::ZERO);
        } else if factor != T::ONE {
            self.apply(|x| x * factor);
        }
    }

    /// Copies the elements of `source`.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn copy_from(&mut self, source: TileRef<'_, T>) {
        let (mine, theirs) = ((self.rows, self.cols), (source.rows, source.cols));
        assert!(mine == theirs, "copy of {theirs:?} into {mine:?}");
        for j in 0..self.cols {
            for i in 0..self.rows {
                self.set(i, j, source.at(i, j));
            }
        }
    }
}

impl<T> fmt::Debug for TileRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile {} x {}", self.rows, self.cols)
    }
}

impl<T> fmt::Debug for TileMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile {} x {}", self.rows, self.cols)
    }
}

#[inline]
fn check_inside(shape: (usize, usize), place: (usize, usize)) {
    assert!(place.0 < shape.0 && place.1 < shape.1, "element {place:?} of a tile {shape:?}");
}

fn check_part(shape: (usize, usize), place: (usize, usize), part: (usize, usize)) {
    let inside = |whole: usize, first: usize, count: usize| {
        first.checked_add(count).is_some_and(|end| end <= whole)
    };
    assert!(
        inside(shape.0, place.0, part.0) && inside(shape.1, place.1, part.1),
        "part {part:?} at {place:?} leaves a tile {shape:?}"
    );
}
