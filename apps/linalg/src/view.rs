//! A tiled matrix as an algorithm sees it: as it is, transposed, conjugated or both, without a
//! copy.
//!
//! With views an algorithm is written once: what an upper triangle asks for is what the lower
//! triangle of the transposed view asks for, and what stands on the right stands on the left there.

use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Handle;
use tegula_tiles::TileMatrix;

/// How a stored matrix is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Op {
    /// Rows and columns change places.
    pub(crate) is_transposed: bool,
    /// Entries are conjugated.
    pub(crate) is_conjugated: bool,
}

impl Op {
    fn of(trans: Trans) -> Self {
        Self { is_transposed: trans.swaps(), is_conjugated: trans == Trans::Conj }
    }

    /// This op, and then `other`.
    fn and(self, other: Self) -> Self {
        Self {
            is_transposed: self.is_transposed != other.is_transposed,
            is_conjugated: self.is_conjugated != other.is_conjugated,
        }
    }

    /// As kernels take it.
    ///
    /// # Panics
    /// If entries are conjugated and not transposed, which kernels do not know.
    pub(crate) fn trans<T: Scalar>(self) -> Trans {
        match (self.is_transposed, self.is_conjugated && T::IS_COMPLEX) {
            (false, false) => Trans::No,
            (true, false) => Trans::Yes,
            (true, true) => Trans::Conj,
            (false, true) => panic!("no kernel takes a conjugate that is not transposed"),
        }
    }
}

const TRANSPOSED: Op = Op { is_transposed: true, is_conjugated: false };
const CONJUGATED: Op = Op { is_transposed: false, is_conjugated: true };

/// A tiled matrix, transposed or conjugated or neither, in the same tiles.
///
/// Algorithms take whatever turns [into](Into) a view: `&a` for the matrix as it is. Of a Hermitian
/// or symmetric matrix they read the lower triangle; [`of_triangle`](View::of_triangle) is for one
/// whose upper triangle is stored.
#[derive(Debug)]
pub struct View<'a, T> {
    matrix: &'a TileMatrix<T>,
    op: Op,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a, T> From<&'a TileMatrix<T>> for View<'a, T> {
    fn from(matrix: &'a TileMatrix<T>) -> Self {
        Self { matrix, op: Op::default() }
    }
}

impl<'a, T: Scalar> View<'a, T> {
    /// The symmetric or Hermitian matrix of which the triangle `uplo` of `matrix` is stored, seen
    /// so that its lower triangle is.
    #[must_use]
    pub fn of_triangle(matrix: &'a TileMatrix<T>, form: Form, uplo: Uplo) -> Self {
        match uplo {
            Uplo::Lower => matrix.into(),
            Uplo::Upper => Self::from(matrix).op(form.mirror()),
        }
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { op: self.op.and(TRANSPOSED), ..self }
    }

    /// The matrix of conjugate entries.
    #[must_use]
    pub fn conjugated(self) -> Self {
        Self { op: self.op.and(CONJUGATED), ..self }
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(self) -> Self {
        self.op(Trans::Conj)
    }

    /// `op` of the matrix.
    #[must_use]
    pub fn op(self, trans: Trans) -> Self {
        Self { op: self.op.and(Op::of(trans)), ..self }
    }

    /// Number of rows.
    #[must_use]
    pub fn m(&self) -> usize {
        self.pick(self.matrix.m(), self.matrix.n())
    }

    /// Number of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.pick(self.matrix.n(), self.matrix.m())
    }

    /// Rows of a tile that is not in the last row.
    #[must_use]
    pub fn mb(&self) -> usize {
        self.pick(self.matrix.mb(), self.matrix.nb())
    }

    /// Columns of a tile that is not in the last column.
    #[must_use]
    pub fn nb(&self) -> usize {
        self.pick(self.matrix.nb(), self.matrix.mb())
    }

    /// Number of rows of tiles.
    #[must_use]
    pub fn mt(&self) -> usize {
        self.pick(self.matrix.mt(), self.matrix.nt())
    }

    /// Number of columns of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.pick(self.matrix.nt(), self.matrix.mt())
    }

    /// Rows of the tiles in row `i` of tiles.
    #[must_use]
    pub fn tile_rows(&self, i: usize) -> usize {
        if self.op.is_transposed { self.matrix.tile_columns(i) } else { self.matrix.tile_rows(i) }
    }

    /// Columns of the tiles in column `j` of tiles.
    #[must_use]
    pub fn tile_columns(&self, j: usize) -> usize {
        if self.op.is_transposed { self.matrix.tile_rows(j) } else { self.matrix.tile_columns(j) }
    }

    /// Whether the stored matrix is transposed.
    pub(crate) fn is_transposed(&self) -> bool {
        self.op.is_transposed
    }

    /// Tile `(i, j)`.
    pub(crate) fn tile(&self, i: usize, j: usize) -> Tile {
        let (row, column) = self.pick((i, j), (j, i));
        Tile {
            handle: self.matrix.tile(row, column),
            rows: self.tile_rows(i),
            columns: self.tile_columns(j),
            op: self.op,
        }
    }

    /// # Panics
    /// If the matrix or its tiles are not square.
    pub(crate) fn check_square(&self) {
        let (m, n, mb, nb) = (self.m(), self.n(), self.mb(), self.nb());
        assert!(m == n && mb == nb, "{m} x {n} in {mb} x {nb} tiles is not square");
    }

    /// # Panics
    /// If the shape or the tiling is not that of `other`.
    pub(crate) fn check_like(&self, other: &Self) {
        let (m, n, mb, nb) = (self.m(), self.n(), self.mb(), self.nb());
        let (m2, n2, mb2, nb2) = (other.m(), other.n(), other.mb(), other.nb());
        assert!(
            (m, n, mb, nb) == (m2, n2, mb2, nb2),
            "{m} x {n} in {mb} x {nb} tiles against {m2} x {n2} in {mb2} x {nb2}"
        );
    }

    fn pick<X>(&self, straight: X, turned: X) -> X {
        if self.op.is_transposed { turned } else { straight }
    }
}

/// A tile as an algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub(crate) handle: Handle,
    /// Rows as seen.
    pub(crate) rows: usize,
    /// Columns as seen.
    pub(crate) columns: usize,
    pub(crate) op: Op,
}

impl Tile {
    /// The transposed tile.
    pub(crate) fn transposed(self) -> Self {
        let (rows, columns) = (self.columns, self.rows);
        Self { rows, columns, op: self.op.and(TRANSPOSED), ..self }
    }

    /// The tile of conjugate entries.
    pub(crate) fn conjugated(self) -> Self {
        Self { op: self.op.and(CONJUGATED), ..self }
    }

    /// `op` of the tile.
    pub(crate) fn op(self, trans: Trans) -> Self {
        match trans {
            Trans::No => self,
            Trans::Yes => self.transposed(),
            Trans::Conj => self.transposed().conjugated(),
        }
    }

    /// As kernels take it.
    pub(crate) fn trans<T: Scalar>(self) -> Trans {
        self.op.trans::<T>()
    }

    /// Rows and columns as stored.
    pub(crate) fn stored(self) -> (usize, usize) {
        if self.op.is_transposed { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }
}
