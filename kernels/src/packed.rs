//! Packed matrices, cut into micro-panels of rows: the layout in which micro-kernels read an
//! operand.
//!
//! A product of tiles spends up to a tenth of its time packing its operands. One that many
//! products read, like a panel of a factorization, is packed once and read as it is.

use bytemuck::Pod;
use tegula_runtime::flow::Buffers;

use crate::scalar::Scalar;
use crate::tile::TileRef;

/// Columns are stored in groups of so many, so that a kernel may write whole groups.
const GROUP: usize = 8;

/// A `rows x cols` matrix cut into micro-panels of `height` rows, each a column-major matrix
/// without gaps.
///
/// The last micro-panel is stored as high as the others, with zeros under the last row; a
/// micro-panel is stored with [`stored_columns`](Self::stored_columns), of which those past the
/// last are arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedShape {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// Rows of a micro-panel, at least 1.
    pub height: usize,
}

impl PackedShape {
    /// Number of micro-panels.
    #[must_use]
    pub fn micro_panels(self) -> usize {
        self.rows.div_ceil(self.height)
    }

    /// Columns that a micro-panel has room for.
    #[must_use]
    pub fn stored_columns(self) -> usize {
        self.cols.next_multiple_of(GROUP)
    }

    /// Elements between micro-panels.
    #[must_use]
    pub fn stride(self) -> usize {
        self.height * self.stored_columns()
    }

    /// Elements of the whole.
    #[must_use]
    pub fn elements(self) -> usize {
        self.micro_panels() * self.stride()
    }

    /// The rows of micro-panel `index`.
    #[must_use]
    pub fn rows_of(self, index: usize) -> std::ops::Range<usize> {
        let first = index * self.height;
        first..(first + self.height).min(self.rows)
    }

    /// Panics unless `length` elements are what the shape needs.
    fn check(self, length: usize) {
        assert!(self.height > 0, "micro-panels of no rows");
        let needed = self.elements();
        assert!(length == needed, "{length} elements for {self:?}, which needs {needed}");
    }
}

/// A packed matrix, to read.
#[derive(Clone, Copy, Debug)]
pub struct PackedRef<'a, T> {
    elements: &'a [T],
    shape: PackedShape,
}

impl<'a, T> PackedRef<'a, T> {
    /// The matrix that lies in `elements`.
    ///
    /// # Panics
    /// If there are not exactly [`PackedShape::elements`] of them.
    #[must_use]
    pub fn new(elements: &'a [T], shape: PackedShape) -> Self {
        shape.check(elements.len());
        Self { elements, shape }
    }

    /// The matrix that lies in the first elements of buffer `index`.
    ///
    /// # Panics
    /// If there are not so many, or as [`Buffers::read`].
    #[must_use]
    pub fn of(buffers: &'a Buffers<'_>, index: usize, shape: PackedShape) -> Self
    where
        T: Pod,
    {
        Self::new(&buffers.read(index)[..shape.elements()], shape)
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> PackedShape {
        self.shape
    }

    /// The first element.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.elements.as_ptr()
    }

    /// The first `panels` micro-panels and the others.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn split(&self, panels: usize) -> (Self, Self) {
        let (all, stride) = (self.shape.micro_panels(), self.shape.stride());
        assert!(panels <= all, "the first {panels} of {all} micro-panels");
        let rows = (panels * self.shape.height).min(self.shape.rows);
        let (first, rest) = self.elements.split_at(panels * stride);
        let part = |elements, rows| Self::new(elements, PackedShape { rows, ..self.shape });
        (part(first, rows), part(rest, self.shape.rows - rows))
    }

    /// Micro-panel `index`, without the rows that are not of the matrix.
    ///
    /// # Panics
    /// If there is no such micro-panel.
    #[must_use]
    pub fn micro_panel(&self, index: usize) -> TileRef<'a, T> {
        let PackedShape { cols, height, .. } = self.shape;
        let (rows, stride) = (self.shape.rows_of(index).len(), self.shape.stride());
        TileRef::with_ld(&self.elements[index * stride..][..stride], rows, cols, height)
    }
}

/// A packed matrix, to write.
#[derive(Debug)]
pub struct PackedMut<'a, T> {
    elements: &'a mut [T],
    shape: PackedShape,
}

impl<'a, T: Scalar> PackedMut<'a, T> {
    /// The matrix that lies in `elements`.
    ///
    /// # Panics
    /// If there are not exactly [`PackedShape::elements`] of them.
    #[must_use]
    pub fn new(elements: &'a mut [T], shape: PackedShape) -> Self {
        shape.check(elements.len());
        Self { elements, shape }
    }

    /// The matrix that is to lie in the first elements of buffer `index`.
    ///
    /// # Panics
    /// If there are not so many, or as [`Buffers::write`].
    #[must_use]
    pub fn of(buffers: &'a Buffers<'_>, index: usize, shape: PackedShape) -> Self {
        Self::new(&mut buffers.write(index)[..shape.elements()], shape)
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> PackedShape {
        self.shape
    }

    /// The same, for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> PackedMut<'_, T> {
        PackedMut { elements: self.elements, shape: self.shape }
    }

    /// The first element.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.elements.as_mut_ptr()
    }

    /// Packs `source`.
    ///
    /// # Panics
    /// If it has another shape.
    pub fn pack_from(&mut self, source: TileRef<'_, T>) {
        self.check_source(source);
        if source.row_stride() == 1 && !source.is_conjugated() {
            self.copy_columns(source);
        } else if source.col_stride() == 1 && !source.is_conjugated() {
            self.copy_rows(source.transposed());
        } else {
            self.fill_with(|i, j| source.at(i, j));
        }
    }

    /// Panics unless `source` has this shape.
    pub(crate) fn check_source(&self, source: TileRef<'_, T>) {
        let PackedShape { rows, cols, .. } = self.shape;
        assert!(
            (source.rows(), source.cols()) == (rows, cols),
            "{} x {} into micro-panels of {rows} x {cols}",
            source.rows(),
            source.cols()
        );
    }

    /// Overwrites entry `(i, j)`.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn set(&mut self, i: usize, j: usize, entry: T) {
        let PackedShape { rows, cols, height } = self.shape;
        assert!(i < rows && j < cols, "entry ({i}, {j}) of {rows} x {cols}");
        self.elements[i / height * self.shape.stride() + j * height + i % height] = entry;
    }

    /// Packs the matrix with these entries.
    pub fn fill_with(&mut self, entry: impl Fn(usize, usize) -> T) {
        let PackedShape { cols, height, .. } = self.shape;
        let (shape, stride) = (self.shape, self.shape.stride());
        for (index, panel) in self.elements.chunks_exact_mut(stride.max(1)).enumerate() {
            let rows = shape.rows_of(index);
            for (j, column) in panel.chunks_exact_mut(height).take(cols).enumerate() {
                column[rows.len()..].fill(T::ZERO);
                for (to, i) in column.iter_mut().zip(rows.clone()) {
                    *to = entry(i, j);
                }
            }
        }
    }

    /// Packs a matrix whose columns are contiguous.
    fn copy_columns(&mut self, source: TileRef<'_, T>) {
        let PackedShape { cols, height, .. } = self.shape;
        let (shape, stride) = (self.shape, self.shape.stride());
        for (index, panel) in self.elements.chunks_exact_mut(stride.max(1)).enumerate() {
            let rows = shape.rows_of(index);
            for (j, column) in panel.chunks_exact_mut(height).take(cols).enumerate() {
                let from = source.col(j).expect("columns are contiguous");
                let (some, rest) = column.split_at_mut(rows.len());
                some.copy_from_slice(&from[rows.clone()]);
                rest.fill(T::ZERO);
            }
        }
    }

    /// Packs a matrix whose rows are contiguous, given transposed.
    fn copy_rows(&mut self, source: TileRef<'_, T>) {
        let PackedShape { cols, height, .. } = self.shape;
        let (shape, stride) = (self.shape, self.shape.stride());
        for (index, panel) in self.elements.chunks_exact_mut(stride.max(1)).enumerate() {
            let rows = shape.rows_of(index);
            let places = &mut panel[..cols * height];
            for (i, row) in rows.clone().enumerate() {
                let from = source.col(row).expect("rows are contiguous");
                for (column, &entry) in places.chunks_exact_mut(height).zip(from) {
                    column[i] = entry;
                }
            }
            for column in places.chunks_exact_mut(height) {
                column[rows.len()..].fill(T::ZERO);
            }
        }
    }
}
