//! Matrices in strips of rows: the layout in which micro-kernels read an operand.
//!
//! A product of tiles spends up to a tenth of its time laying out its operands. One that many
//! products read, like a panel of a factorization, is laid out once and read as it is.

use crate::scalar::Scalar;
use crate::tile::TileRef;

/// Columns are stored in groups of so many, so that a kernel may write whole groups.
const GROUP: usize = 8;

/// A `rows x cols` matrix cut into strips of `height` rows, each a column-major matrix without gaps.
///
/// The last strip is stored as high as the others, with zeros under the last row; a strip is stored
/// with [`stored_columns`](Self::stored_columns), of which those past the last are arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripShape {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// Rows of a strip, at least 1.
    pub height: usize,
}

impl StripShape {
    /// Number of strips.
    #[must_use]
    pub fn strips(self) -> usize {
        self.rows.div_ceil(self.height)
    }

    /// Columns that a strip has room for.
    #[must_use]
    pub fn stored_columns(self) -> usize {
        self.cols.next_multiple_of(GROUP)
    }

    /// Elements between strips.
    #[must_use]
    pub fn stride(self) -> usize {
        self.height * self.stored_columns()
    }

    /// Elements of the whole.
    #[must_use]
    pub fn elements(self) -> usize {
        self.strips() * self.stride()
    }

    /// The rows of strip `index`.
    #[must_use]
    pub fn rows_of(self, index: usize) -> std::ops::Range<usize> {
        let first = index * self.height;
        first..(first + self.height).min(self.rows)
    }

    /// Panics unless `length` elements are what the shape needs.
    fn check(self, length: usize) {
        assert!(self.height > 0, "strips of no rows");
        let needed = self.elements();
        assert!(length == needed, "{length} elements for {self:?}, which needs {needed}");
    }
}

/// A matrix in strips, to read.
#[derive(Clone, Copy, Debug)]
pub struct StripsRef<'a, T> {
    elements: &'a [T],
    shape: StripShape,
}

impl<'a, T> StripsRef<'a, T> {
    /// The matrix that lies in `elements`.
    ///
    /// # Panics
    /// If there are not exactly [`StripShape::elements`] of them.
    #[must_use]
    pub fn new(elements: &'a [T], shape: StripShape) -> Self {
        shape.check(elements.len());
        Self { elements, shape }
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> StripShape {
        self.shape
    }

    /// The first element.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.elements.as_ptr()
    }

    /// Strip `index`, without the rows that are not of the matrix.
    ///
    /// # Panics
    /// If there is no such strip.
    #[must_use]
    pub fn strip(&self, index: usize) -> TileRef<'a, T> {
        let StripShape { cols, height, .. } = self.shape;
        let (rows, stride) = (self.shape.rows_of(index).len(), self.shape.stride());
        TileRef::with_ld(&self.elements[index * stride..][..stride], rows, cols, height)
    }
}

/// A matrix in strips, to write.
#[derive(Debug)]
pub struct StripsMut<'a, T> {
    elements: &'a mut [T],
    shape: StripShape,
}

impl<'a, T: Scalar> StripsMut<'a, T> {
    /// The matrix that lies in `elements`.
    ///
    /// # Panics
    /// If there are not exactly [`StripShape::elements`] of them.
    #[must_use]
    pub fn new(elements: &'a mut [T], shape: StripShape) -> Self {
        shape.check(elements.len());
        Self { elements, shape }
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> StripShape {
        self.shape
    }

    /// The first element.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.elements.as_mut_ptr()
    }

    /// Lays `source` out.
    ///
    /// # Panics
    /// If it has another shape.
    pub fn lay_out(&mut self, source: TileRef<'_, T>) {
        let StripShape { rows, cols, height } = self.shape;
        assert!(
            (source.rows(), source.cols()) == (rows, cols),
            "{} x {} into strips of {rows} x {cols}",
            source.rows(),
            source.cols()
        );
        let stride = self.shape.stride();
        for index in 0..self.shape.strips() {
            let strip = &mut self.elements[index * stride..][..stride];
            let some = self.shape.rows_of(index);
            for (p, column) in strip.chunks_exact_mut(height).take(cols).enumerate() {
                column[some.len()..].fill(T::ZERO);
                for (to, i) in column.iter_mut().zip(some.clone()) {
                    *to = source.at(i, p);
                }
            }
        }
    }
}
