//! The Fortran calls of one precision, and what a view becomes in them.

use std::ffi::{c_char, c_long};

use super::super::{Blas, blocked, check_product, check_square, check_triangle};
use crate::error::NumericalError;
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// An option, by its letter.
type Letter = *const c_char;

/// An integer, by address. A library with integers of 32 bits reads the low half, which on a
/// little-endian processor is at the same address: sizes of tiles fit in it.
type Integer = *const c_long;

#[cfg(target_endian = "big")]
compile_error!("integers are passed to Fortran by the address of their low half");

/// Length of an option, which Fortran passes after all other arguments.
type Length = usize;

/// Addresses of the functions, named as in BLAS and LAPACK.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Calls<T> {
    pub(super) gemm: unsafe extern "C" fn(
        Letter,
        Letter,
        Integer,
        Integer,
        Integer,
        *const T,
        *const T,
        Integer,
        *const T,
        Integer,
        *const T,
        *mut T,
        Integer,
        Length,
        Length,
    ),
    pub(super) syrk: unsafe extern "C" fn(
        Letter,
        Letter,
        Integer,
        Integer,
        *const T,
        *const T,
        Integer,
        *const T,
        *mut T,
        Integer,
        Length,
        Length,
    ),
    pub(super) trsm: TriangularCall<T>,
    pub(super) trmm: TriangularCall<T>,
    pub(super) gemv: unsafe extern "C" fn(
        Letter,
        Integer,
        Integer,
        *const T,
        *const T,
        Integer,
        *const T,
        Integer,
        *const T,
        *mut T,
        Integer,
        Length,
    ),
    pub(super) trsv: unsafe extern "C" fn(
        Letter,
        Letter,
        Letter,
        Integer,
        *const T,
        Integer,
        *mut T,
        Integer,
        Length,
        Length,
        Length,
    ),
    pub(super) potrf: unsafe extern "C" fn(Letter, Integer, *mut T, Integer, *mut c_long, Length),
    pub(super) lauum: unsafe extern "C" fn(Letter, Integer, *mut T, Integer, *mut c_long, Length),
    pub(super) trtri:
        unsafe extern "C" fn(Letter, Letter, Integer, *mut T, Integer, *mut c_long, Length, Length),
}

/// Signature of `trsm` and `trmm`.
pub(super) type TriangularCall<T> = unsafe extern "C" fn(
    Letter,
    Letter,
    Letter,
    Letter,
    Integer,
    Integer,
    *const T,
    *const T,
    Integer,
    *mut T,
    Integer,
    Length,
    Length,
    Length,
    Length,
);

/// A view as Fortran takes it: a column-major matrix, transposed or not.
struct Stored<T> {
    first: *const T,
    ld: c_long,
    transposed: bool,
}

fn long(size: usize) -> c_long {
    c_long::try_from(size).expect("sizes of tiles fit in 63 bits")
}

/// # Panics
/// If neither rows nor columns are adjacent in memory.
fn stored<T>(a: TileRef<'_, T>) -> Stored<T> {
    let (rows, cols) = (a.rows(), a.cols());
    let (row_stride, col_stride) = (a.row_stride(), a.col_stride());
    let first = a.as_ptr();
    if row_stride == 1 && (col_stride >= rows || cols <= 1) {
        Stored { first, ld: long(col_stride.max(rows).max(1)), transposed: false }
    } else {
        assert!(col_stride == 1, "strides {row_stride} and {col_stride}: one must be 1");
        Stored { first, ld: long(row_stride.max(cols).max(1)), transposed: true }
    }
}

/// # Panics
/// As `stored`.
fn stored_mut<T>(a: &mut TileMut<'_, T>) -> (*mut T, Stored<T>) {
    (a.as_mut_ptr(), stored(a.as_ref()))
}

fn letter(letter: &'static [u8; 1]) -> Letter {
    letter.as_ptr().cast()
}

fn trans(transposed: bool) -> Letter {
    letter(if transposed { b"T" } else { b"N" })
}

/// The letter of a triangle of a view whose storage is transposed or not.
fn uplo(uplo: Uplo, transposed: bool) -> Letter {
    letter(if (uplo == Uplo::Lower) == transposed { b"U" } else { b"L" })
}

fn diag(diag: Diag) -> Letter {
    letter(if diag == Diag::Unit { b"U" } else { b"N" })
}

impl<T: Real> Calls<T> {
    /// `trsm` or `trmm`: `B = alpha T^(-1 or 1) B`.
    fn triangular(call: TriangularCall<T>, t: Triangle<'_, T>, alpha: T, mut b: TileMut<'_, T>) {
        check_triangle(&t, &b);
        let (mut rows, mut cols) = (long(b.rows()), long(b.cols()));
        if rows == 0 || cols == 0 {
            return;
        }
        let triangle = stored(t.entries);
        let (first, target) = stored_mut(&mut b);
        // A transposed target turns the whole formula: the triangle comes from the right.
        if target.transposed {
            (rows, cols) = (cols, rows);
        }
        let side = letter(if target.transposed { b"R" } else { b"L" });
        let (uplo, diag) = (uplo(t.uplo, triangle.transposed), diag(t.diag));
        let trans = trans(triangle.transposed != target.transposed);
        // SAFETY: views are valid for their shapes and strides; `b` is ours to write.
        unsafe {
            let (t, lda, ldb) = (triangle.first, &triangle.ld, &target.ld);
            call(side, uplo, trans, diag, &rows, &cols, &alpha, t, lda, first, ldb, 1, 1, 1, 1);
        }
    }
}

impl<T: Real> Blas<T> for Calls<T> {
    fn gemm(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, mut c: TileMut<'_, T>) {
        check_product(a, b, &c);
        if a.cols() == 0 || alpha == T::ZERO || c.rows() == 0 || c.cols() == 0 {
            return c.scale(beta);
        }
        let (first, target) = stored_mut(&mut c);
        if target.transposed {
            return self.gemm(alpha, b.transposed(), a.transposed(), beta, c.transposed());
        }
        let (m, n, k) = (long(a.rows()), long(b.cols()), long(a.cols()));
        let (a, b) = (stored(a), stored(b));
        let (ta, tb) = (trans(a.transposed), trans(b.transposed));
        // SAFETY: views are valid for their shapes and strides; `c` is ours to write.
        unsafe {
            let (a, lda, b, ldb, ldc) = (a.first, &a.ld, b.first, &b.ld, &target.ld);
            (self.gemm)(ta, tb, &m, &n, &k, &alpha, a, lda, b, ldb, &beta, first, ldc, 1, 1);
        }
    }

    fn syrk(&self, alpha: T, a: TileRef<'_, T>, beta: T, mut c: TileMut<'_, T>) {
        check_product(a, a.transposed(), &c);
        let (n, k) = (long(a.rows()), long(a.cols()));
        if n == 0 || k == 0 || alpha == T::ZERO {
            return blocked::gemmt(self, alpha, a, a.transposed(), beta, c);
        }
        let a = stored(a);
        let (first, target) = stored_mut(&mut c);
        let (uplo, trans) = (uplo(Uplo::Lower, target.transposed), trans(a.transposed));
        // SAFETY: as in `gemm`.
        unsafe {
            let (a, lda, ldc) = (a.first, &a.ld, &target.ld);
            (self.syrk)(uplo, trans, &n, &k, &alpha, a, lda, &beta, first, ldc, 1, 1);
        }
    }

    fn trsm(&self, t: Triangle<'_, T>, alpha: T, b: TileMut<'_, T>) {
        Self::triangular(self.trsm, t, alpha, b);
    }

    fn trmm(&self, t: Triangle<'_, T>, b: TileMut<'_, T>) {
        Self::triangular(self.trmm, t, T::ONE, b);
    }

    fn potrf(&self, mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let order = check_square(&a);
        let (n, mut info) = (long(order), 0);
        let (first, target) = stored_mut(&mut a);
        let uplo = uplo(Uplo::Lower, target.transposed);
        // SAFETY: as in `gemm`.
        unsafe {
            (self.potrf)(uplo, &n, first, &target.ld, &mut info, 1);
        }
        // Implementations let NaN and infinite pivots pass; they stay on the diagonal.
        let factored = usize::try_from(info).map_or(0, |info| info.checked_sub(1).unwrap_or(order));
        match (0..factored).find(|&i| !a.at(i, i).is_finite()) {
            Some(i) => Err(NumericalError::NotPositiveDefinite { order: i + 1 }),
            None if factored < order => {
                Err(NumericalError::NotPositiveDefinite { order: factored + 1 })
            }
            None => Ok(()),
        }
    }

    fn trtri(&self, diagonal: Diag, mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
        blocked::check_invertible(diagonal, &a)?;
        let (n, mut info) = (long(check_square(&a)), 0);
        let (first, target) = stored_mut(&mut a);
        let (uplo, diag) = (uplo(Uplo::Lower, target.transposed), diag(diagonal));
        // SAFETY: as in `gemm`.
        unsafe {
            (self.trtri)(uplo, diag, &n, first, &target.ld, &mut info, 1, 1);
        }
        assert!(info == 0, "trtri answers {info} to a triangle without zeros on its diagonal");
        Ok(())
    }

    fn lauum(&self, mut a: TileMut<'_, T>) {
        let (n, mut info) = (long(check_square(&a)), 0);
        let (first, target) = stored_mut(&mut a);
        let uplo = uplo(Uplo::Lower, target.transposed);
        // SAFETY: as in `gemm`.
        unsafe {
            (self.lauum)(uplo, &n, first, &target.ld, &mut info, 1);
        }
        assert!(info == 0, "lauum answers {info} to a tile of order {n}");
    }

    fn gemv(&self, alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, beta: T, mut y: TileMut<'_, T>) {
        check_product(a, x, &y);
        assert!(x.cols() == 1, "the vector has {} columns", x.cols());
        if a.rows() == 0 || a.cols() == 0 || alpha == T::ZERO {
            return y.scale(beta);
        }
        let (step_x, step_y) = (long(x.row_stride()), long(y.row_stride()));
        let (mut m, mut n) = (long(a.rows()), long(a.cols()));
        let a = stored(a);
        if a.transposed {
            (m, n) = (n, m);
        }
        let trans = trans(a.transposed);
        // SAFETY: as in `gemm`.
        unsafe {
            let (a, lda, x, y) = (a.first, &a.ld, x.as_ptr(), y.as_mut_ptr());
            (self.gemv)(trans, &m, &n, &alpha, a, lda, x, &step_x, &beta, y, &step_y, 1);
        }
    }

    fn trsv(&self, t: Triangle<'_, T>, mut x: TileMut<'_, T>) {
        check_triangle(&t, &x);
        assert!(x.cols() == 1, "the vector has {} columns", x.cols());
        let (n, step) = (long(t.order()), long(x.row_stride()));
        let triangle = stored(t.entries);
        let (uplo, diag) = (uplo(t.uplo, triangle.transposed), diag(t.diag));
        let trans = trans(triangle.transposed);
        // SAFETY: as in `gemm`.
        unsafe {
            let (t, ld, x) = (triangle.first, &triangle.ld, x.as_mut_ptr());
            (self.trsv)(uplo, trans, diag, &n, t, ld, x, &step, 1, 1, 1);
        }
    }

    fn leaf(&self) -> &dyn Blas<T> {
        self
    }
}
