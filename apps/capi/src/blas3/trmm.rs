//! `xTRMM`: products with a triangular matrix.

use tegula_kernels::kernel::trmm::Trmm;
use tegula_kernels::option::Side;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{self as linalg, Triangle};

use crate::array::{Array, Matrix};
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
    let (side, uplo) = (side.of(1, SIDE)?, uplo.of(2, UPLO)?);
    let (trans, diag) = (transa.of(3, TRANS)?, diag.of(4, DIAG)?);
    let (m, n) = (m.size(5)?, n.size(6)?);
    let order = if side == Side::Left { m } else { n };
    let a = a.matrix(order, order, lda.leading(9, order)?);
    let b = b.matrix(m, n, ldb.leading(11, m)?);
    if alpha == T::ZERO {
        b.view_mut().scale(T::ZERO);
    } else if m > 0 && n > 0 {
        multiply(Triangle { side, uplo, trans, diag }, alpha, a, b);
    }
    Ok(())
}

/// Multiplies where there is something to multiply.
fn multiply<T: Scalar>(triangle: Triangle, alpha: T, a: Matrix<T>, b: Matrix<T>) {
    let Triangle { side, uplo, trans, diag } = triangle;
    let (m, n, order) = (b.rows, b.cols, a.rows);
    if is_small::<T>(product([m, n, order]) / 2.0) {
        let kernel = Trmm { side, uplo, trans, diag, m, n, alpha };
        return kernel.compute(blas(), a.view(), b.view_mut());
    }
    let (mb, nb) = (tile(m), tile(n));
    let of_triangle = if side == Side::Left { mb } else { nb };
    let matrices = [a.in_tiles(of_triangle, of_triangle), b.in_tiles(mb, nb)];
    in_tiles(matrices, |flow, [a, b]| linalg::trmm(flow, triangle, alpha, a, b))
        .expect("a product does not fail");
}
