//! A small matrix that owns its entries.

use std::ops::{Index, IndexMut};

use crate::backend;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// A small matrix, by columns without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    cols: usize,
    entries: Vec<T>,
}

impl<T: Scalar> Matrix<T> {
    /// Zeros.
    #[must_use]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, entries: vec![T::ZERO; rows * cols] }
    }

    /// The entries `of(i, j)`.
    #[must_use]
    pub fn from_fn(rows: usize, cols: usize, mut of: impl FnMut(usize, usize) -> T) -> Self {
        let mut entries = Vec::with_capacity(rows * cols);
        for j in 0..cols {
            entries.extend((0..rows).map(|i| of(i, j)));
        }
        Self { rows, cols, entries }
    }

    /// These entries, by columns.
    ///
    /// # Panics
    /// If there are not `rows * cols` of them.
    #[must_use]
    pub fn of_columns(entries: Vec<T>, rows: usize, cols: usize) -> Self {
        let length = entries.len();
        assert!(length == rows * cols, "{length} entries are not a matrix of {rows} x {cols}");
        Self { rows, cols, entries }
    }

    /// A copy of the entries of a view.
    #[must_use]
    pub fn of(view: TileRef<'_, T>) -> Self {
        let mut matrix = Self::zeros(view.rows(), view.cols());
        matrix.view_mut().copy_from(view);
        matrix
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

    /// The entries, by columns.
    #[must_use]
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The entries, by columns.
    #[must_use]
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }

    /// Column `j`.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn col(&self, j: usize) -> &[T] {
        &self.entries[j * self.rows..][..self.rows]
    }

    /// As kernels read it.
    #[must_use]
    pub fn view(&self) -> TileRef<'_, T> {
        TileRef::new(&self.entries, self.rows, self.cols)
    }

    /// As kernels write it.
    #[must_use]
    pub fn view_mut(&mut self) -> TileMut<'_, T> {
        TileMut::new(&mut self.entries, self.rows, self.cols)
    }
}

/// `A B`.
///
/// # Panics
/// If the shapes do not agree.
#[must_use]
pub fn product<T: Scalar>(a: TileRef<'_, T>, b: TileRef<'_, T>) -> Matrix<T> {
    let mut c = Matrix::zeros(a.rows(), b.cols());
    T::blas(backend::current()).gemm(T::ONE, a, b, T::ZERO, c.view_mut());
    c
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        &self.entries[i + j * self.rows]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        &mut self.entries[i + j * self.rows]
    }
}
