//! `xTRMM` and `xTRSM`: products and solves with a triangular matrix.

use tegula_kernels::kernel::{trmm::Trmm, trsm::Trsm, trsv::Trsv};
use tegula_kernels::option::Side;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{self as linalg, Triangle};

use crate::array::{Array, Matrix, Tiled};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{DIAG, SIDE, TRANS, UPLO};
use crate::run::{blas, in_tiles, is_small, product, tile};

export! {
    "`B = alpha op(A) B`, or `B = alpha B op(A)`, with a triangular matrix `A`."
    trmm(
        side: Letter, uplo: Letter, transa: Letter, diag: Letter, m: Int, n: Int, alpha: Number,
        a: Input, lda: Int, b: Array, ldb: Int
    ) nothing as strmm_: f32, dtrmm_: f64, ctrmm_: c32, ztrmm_: c64;

    "`B = alpha inv(op(A)) B`, or `B = alpha B inv(op(A))`, with a triangular matrix `A`."
    trsm(
        side: Letter, uplo: Letter, transa: Letter, diag: Letter, m: Int, n: Int, alpha: Number,
        a: Input, lda: Int, b: Array, ldb: Int
    ) nothing as strsm_: f32, dtrsm_: f64, ctrsm_: c32, ztrsm_: c64;
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn trmm<T: Scalar>(
    side: Letter,
    uplo: Letter,
    transa: Letter,
    diag: Letter,
    m: i32,
    n: i32,
    alpha: T,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<()> {
    let letters = [side, uplo, transa, diag];
    let (triangle, a, b) = checked(letters, (m, n), (a, lda), (b, ldb))?;
    change(b, alpha, || multiply(triangle, alpha, a, b));
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn trsm<T: Scalar>(
    side: Letter,
    uplo: Letter,
    transa: Letter,
    diag: Letter,
    m: i32,
    n: i32,
    alpha: T,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<()> {
    let letters = [side, uplo, transa, diag];
    let (triangle, a, b) = checked(letters, (m, n), (a, lda), (b, ldb))?;
    change(b, alpha, || solve(triangle, alpha, a, b));
    Ok(())
}

/// The arguments that both have, with the numbers of the reference.
fn checked<T: Scalar>(
    [side, uplo, transa, diag]: [Letter; 4],
    (m, n): (i32, i32),
    (a, lda): (Array<T>, i32),
    (b, ldb): (Array<T>, i32),
) -> Checked<(Triangle, Matrix<T>, Matrix<T>)> {
    let (side, uplo) = (side.of(1, SIDE)?, uplo.of(2, UPLO)?);
    let (trans, diag) = (transa.of(3, TRANS)?, diag.of(4, DIAG)?);
    let (m, n) = (m.size(5)?, n.size(6)?);
    let order = if side == Side::Left { m } else { n };
    let a = a.matrix(order, order, lda.leading(9, order)?);
    let b = b.matrix(m, n, ldb.leading(11, m)?);
    Ok((Triangle { side, uplo, trans, diag }, a, b))
}

/// Does `work` where there is something to do; without a factor, `b` is zero and `a` not read.
fn change<T: Scalar>(b: Matrix<T>, alpha: T, work: impl FnOnce()) {
    if alpha == T::ZERO {
        b.view_mut().scale(T::ZERO);
    } else if b.rows > 0 && b.cols > 0 {
        work();
    }
}

/// Multiplies where there is something to multiply.
fn multiply<T: Scalar>(triangle: Triangle, alpha: T, a: Matrix<T>, b: Matrix<T>) {
    let Triangle { side, uplo, trans, diag } = triangle;
    let (m, n) = (b.rows, b.cols);
    if is_small::<T>(product([m, n, a.rows]) / 2.0) {
        let kernel = Trmm { side, uplo, trans, diag, m, n, alpha };
        return kernel.compute(blas(), a.view(), b.view_mut());
    }
    in_tiles(tiled(side, a, b), |flow, [a, b]| linalg::trmm(flow, triangle, alpha, a, b))
        .expect("a product does not fail");
}

/// Solves where there is something to solve.
pub(crate) fn solve<T: Scalar>(triangle: Triangle, alpha: T, a: Matrix<T>, b: Matrix<T>) {
    let Triangle { side, uplo, trans, diag } = triangle;
    let (m, n, ld) = (b.rows, b.cols, a.rows);
    if n == 1 && side == Side::Left && alpha == T::ONE && is_small::<T>(product([m, m, 1]) / 2.0) {
        return Trsv::new(uplo, trans, diag, m).compute(blas(), a.view(), b.view_mut());
    }
    if is_small::<T>(product([m, n, ld]) / 2.0) {
        let kernel = Trsm { side, uplo, trans, diag, m, n, ld, alpha };
        return kernel.compute(blas(), a.view(), b.view_mut());
    }
    in_tiles(tiled(side, a, b), |flow, [a, b]| linalg::trsm(flow, triangle, alpha, a, b))
        .expect("a solve does not fail");
}

/// Both in tiles that fit each other.
fn tiled<T: Scalar>(side: Side, a: Matrix<T>, b: Matrix<T>) -> [Tiled<T>; 2] {
    let (mb, nb) = (tile(b.rows), tile(b.cols));
    let of_triangle = if side == Side::Left { mb } else { nb };
    [a.in_tiles(of_triangle, of_triangle), b.in_tiles(mb, nb)]
}
