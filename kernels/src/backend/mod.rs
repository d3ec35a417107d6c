//! Where the arithmetic of one core comes from: the leaf calls that kernels are made of, and the
//! choice, made once for the process, of who answers them.

mod blocked;
mod complex;
pub mod environment;
#[cfg(feature = "faer")]
mod faer;
mod fetch;
mod fortran;
mod native;
pub(crate) mod pivoting;
mod select;
mod vector;

pub use select::{BACKENDS, BackendError, Choice, LEFT_OUT, current, select};

use crate::error::NumericalError;
use crate::option::Triangle;
use crate::packed::{PackedMut, PackedRef, PackedShape};
use crate::scalar::{Scalar, c32, c64};
use crate::tile::{TileMut, TileRef};

/// A source of arithmetic in all precisions. Every call runs on the calling thread alone.
pub trait Backend: Sync {
    /// Name, as in the list [`BACKENDS`].
    fn name(&self) -> &'static str;
    /// What answers, in words: version, instruction set.
    fn description(&self) -> String;
    /// The calls in `f32`.
    fn single(&self) -> &dyn Blas<f32>;
    /// The calls in `f64`.
    fn double(&self) -> &dyn Blas<f64>;
    /// The calls in [`c32`].
    fn complex_single(&self) -> &dyn Blas<c32>;
    /// The calls in [`c64`].
    fn complex_double(&self) -> &dyn Blas<c64>;
}

/// The leaf calls in one precision.
///
/// A view carries both strides, so a transposed operand is a transposed view and "upper" is the
/// transpose of "lower": one call serves all of BLAS's variants. A coefficient `beta` of zero
/// overwrites, as in BLAS: what was there, NaN included, does not count.
pub trait Blas<T: Scalar>: Sync {
    /// `C = alpha A B + beta C`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn gemm(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, c: TileMut<'_, T>);

    /// Lower triangle of `C = alpha A B + beta C`; the rest of `C` is neither read nor written.
    ///
    /// # Panics
    /// If the shapes do not agree, or `C` is not square.
    fn gemmt(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, c: TileMut<'_, T>) {
        blocked::gemmt(self.leaf(), alpha, a, b, beta, c);
    }

    /// Lower triangle of `C = alpha A A' + beta C`; the rest of `C` is neither read nor written.
    ///
    /// # Panics
    /// If `C` is not square of the order of `A`'s rows.
    fn syrk(&self, alpha: T, a: TileRef<'_, T>, beta: T, c: TileMut<'_, T>) {
        self.gemmt(alpha, a, a.transposed(), beta, c);
    }

    /// `B = alpha inv(T) B`.
    ///
    /// # Panics
    /// If the orders do not agree.
    fn trsm(&self, t: Triangle<'_, T>, alpha: T, b: TileMut<'_, T>) {
        blocked::trsm(self.leaf(), t, alpha, b);
    }

    /// `B = T B`.
    ///
    /// # Panics
    /// If the orders do not agree.
    fn trmm(&self, t: Triangle<'_, T>, b: TileMut<'_, T>) {
        blocked::trmm(self.leaf(), t, b);
    }

    /// Lower triangle of `A` becomes `L` with `L L^H = A`; the rest, and imaginary parts on the
    /// diagonal, are not read, and the rest is not written.
    ///
    /// # Errors
    /// [`NumericalError::NotPositiveDefinite`], with the order within `A`.
    fn potrf(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blocked::potrf(self.leaf(), a)
    }

    /// `A` becomes `L` (unit, below the diagonal) and `U` with `L U = A`, without pivoting.
    ///
    /// # Errors
    /// [`NumericalError::SingularPivot`], with the index within `A`.
    fn getrf(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blocked::getrf(self.leaf(), a)
    }

    /// `A` becomes `L` (unit, below the diagonal) and `U` with `P A = L U`, by partial pivoting:
    /// step `i` exchanges row `i` and row `pivots[i]`, the one with the largest [`Scalar::abs1`] at
    /// or under the diagonal. Answers the first step, if any, whose pivots are all zero; the
    /// factorization goes on past it.
    ///
    /// # Panics
    /// If there is not a pivot for each step, or the rows of `A` are not adjacent in memory.
    fn getrf_pivoting(&self, a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
        pivoting::getrf(self.leaf(), a, pivots)
    }

    /// As [`getrf_pivoting`](Self::getrf_pivoting), of a few columns and without recursion.
    ///
    /// # Panics
    /// Likewise.
    fn getrf_columns(&self, a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
        pivoting::columns(a, pivots)
    }

    /// Lower triangle of `A`, a triangular matrix, becomes its inverse; the rest (and a unit
    /// diagonal) is neither read nor written.
    ///
    /// # Errors
    /// [`NumericalError::SingularTriangle`], with the index within `A`; `A` is then unchanged.
    fn trtri(&self, diag: crate::option::Diag, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blocked::trtri(self.leaf(), diag, a)
    }

    /// Lower triangle of `A`, a triangular matrix `L`, becomes that of `L^H L`; the rest is neither
    /// read nor written.
    fn lauum(&self, a: TileMut<'_, T>) {
        blocked::lauum(self.leaf(), a);
    }

    /// `y = alpha A x + beta y`, with `x` and `y` of one column.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn gemv(&self, alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, beta: T, y: TileMut<'_, T>) {
        vector::gemv(alpha, a, x, beta, y);
    }

    /// `y = y + A x` of the Hermitian matrix of whose lower triangle `a` holds the first columns,
    /// as far as these and the rows above them go.
    ///
    /// # Panics
    /// If the shapes do not agree, or the rows of `a` are not adjacent in memory.
    fn hemv(&self, a: TileRef<'_, T>, x: &[T], y: &mut [T]) {
        vector::hemv(a, x, y);
    }

    /// `x = inv(T) x`, with `x` of one column.
    ///
    /// # Panics
    /// If the orders do not agree.
    fn trsv(&self, t: Triangle<'_, T>, x: TileMut<'_, T>) {
        vector::trsv(self.leaf(), t, x);
    }

    /// Height of the micro-panels that this backend reads faster than tiles, if it does.
    fn micro_panel_height(&self) -> Option<usize> {
        None
    }

    /// `C = alpha A B' + beta C`, of packed operands.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn gemm_packed(
        &self,
        alpha: T,
        a: PackedRef<'_, T>,
        b: PackedRef<'_, T>,
        beta: T,
        c: TileMut<'_, T>,
    ) {
        blocked::gemm_packed(self.leaf(), alpha, a, b, beta, c);
    }

    /// `C = alpha A B + beta C`, of a packed left operand.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn gemm_packed_left(
        &self,
        alpha: T,
        a: PackedRef<'_, T>,
        b: TileRef<'_, T>,
        beta: T,
        c: TileMut<'_, T>,
    ) {
        blocked::gemm_packed_left(self.leaf(), alpha, a, b, beta, c);
    }

    /// Packs `a`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn pack(&self, a: TileRef<'_, T>, mut packed: PackedMut<'_, T>) {
        packed.pack_from(a);
    }

    /// Lower triangle of `C = alpha A A' + beta C`, of a packed operand.
    ///
    /// # Panics
    /// If `C` is not square of the order of `A`'s rows.
    fn syrk_packed(&self, alpha: T, a: PackedRef<'_, T>, beta: T, c: TileMut<'_, T>) {
        blocked::syrk_packed(self.leaf(), alpha, a, beta, c);
    }

    /// `B = inv(T) B`, and the transposed result packed too.
    ///
    /// # Panics
    /// If the shapes do not agree.
    fn trsm_packed(&self, t: Triangle<'_, T>, mut b: TileMut<'_, T>, x: PackedMut<'_, T>) {
        self.trsm(t, T::ONE, b.reborrow());
        self.pack(b.as_ref().transposed(), x);
    }

    /// This backend as what the provided methods recurse through.
    fn leaf(&self) -> &dyn Blas<T>;
}

/// Panics unless `A B` has the shape of `C`.
pub(crate) fn check_product<T>(a: TileRef<'_, T>, b: TileRef<'_, T>, c: &TileMut<'_, T>) {
    let (m, k, k2, n) = (a.rows(), a.cols(), b.rows(), b.cols());
    let (rows, cols) = (c.rows(), c.cols());
    assert!(k == k2, "product of {m} x {k} and {k2} x {n}");
    assert!((m, n) == (rows, cols), "product of {m} x {n} into {rows} x {cols}");
}

/// Panics unless `A B'` has the shape of `C`, for packed operands.
pub(crate) fn check_packed<T>(a: &PackedRef<'_, T>, b: &PackedRef<'_, T>, c: &TileMut<'_, T>) {
    let (a, b) = (a.shape(), b.shape());
    assert!(a.cols == b.cols && a.height == b.height, "product of {a:?} and {b:?}, transposed");
    let (rows, cols) = (c.rows(), c.cols());
    assert!(
        (a.rows, b.rows) == (rows, cols),
        "product of {a:?} and {b:?}, transposed, into {rows} x {cols}"
    );
}

/// Panics unless a product of packed `a` and `b` fits into `c`.
pub(crate) fn check_packed_left<T>(a: &PackedRef<'_, T>, b: TileRef<'_, T>, c: &TileMut<'_, T>) {
    let PackedShape { rows, cols, .. } = a.shape();
    assert!(
        cols == b.rows() && (rows, b.cols()) == (c.rows(), c.cols()),
        "{rows} x {cols} packed times {} x {} into {} x {}",
        b.rows(),
        b.cols(),
        c.rows(),
        c.cols()
    );
}

/// Panics unless the matrix is square; returns its order.
pub(crate) fn check_square<T>(a: &TileMut<'_, T>) -> usize {
    let (rows, cols) = (a.rows(), a.cols());
    assert!(rows == cols, "a square matrix is needed, not {rows} x {cols}");
    rows
}

/// Panics unless `T B` makes sense.
pub(crate) fn check_triangle<T: Scalar>(t: &Triangle<'_, T>, b: &TileMut<'_, T>) {
    let (order, rows) = (t.order(), b.rows());
    assert!(order == rows, "a triangular matrix of order {order} against {rows} rows");
}
