//! `xGEMM`: the product of matrices.

use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::TRANS;
use crate::run::{blas, in_tiles, is_small, product, tile};

export! {
    "`C = alpha op(A) op(B) + beta C`."
    gemm(
        transa: Letter, transb: Letter, m: Int, n: Int, k: Int, alpha: Number, a: Input, lda: Int,
        b: Input, ldb: Int, beta: Number, c: Array, ldc: Int
    ) nothing as sgemm_: f32, dgemm_: f64, cgemm_: c32, zgemm_: c64;
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn gemm<T: Scalar>(
    transa: Letter,
    transb: Letter,
    m: i32,
    n: i32,
    k: i32,
    alpha: T,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
    beta: T,
    c: Array<T>,
    ldc: i32,
) -> Checked<()> {
    let (trans_a, trans_b) = (transa.of(1, TRANS)?, transb.of(2, TRANS)?);
    let (m, n, k) = (m.size(3)?, n.size(4)?, k.size(5)?);
    let ((rows_a, cols_a), (rows_b, cols_b)) = (trans_a.stored(m, k), trans_b.stored(k, n));
    let a = a.matrix(rows_a, cols_a, lda.leading(8, rows_a)?);
    let b = b.matrix(rows_b, cols_b, ldb.leading(10, rows_b)?);
    let c = c.matrix(m, n, ldc.leading(13, m)?);
    let is_empty = alpha == T::ZERO || k == 0;
    if m == 0 || n == 0 || is_empty && beta == T::ONE {
        return Ok(());
    }
    if is_empty {
        c.view_mut().scale(beta);
    } else {
        multiply((trans_a, trans_b), alpha, a, b, beta, c);
    }
    Ok(())
}

/// Multiplies where there is something to multiply.
pub(crate) fn multiply<T: Scalar>(
    (trans_a, trans_b): (Trans, Trans),
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    beta: T,
    c: Matrix<T>,
) {
    let (m, n) = (c.rows, c.cols);
    let k = if trans_a.swaps() { a.rows } else { a.cols };
    if is_small::<T>(product([m, n, k])) {
        let kernel = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
        return kernel.compute(blas(), a.view(), b.view(), c.view_mut());
    }
    let (mb, nb, kb) = (tile(m), tile(n), tile(k));
    let (tile_a, tile_b) = (trans_a.stored(mb, kb), trans_b.stored(kb, nb));
    let (a, b) = (a.in_tiles(tile_a.0, tile_a.1), b.in_tiles(tile_b.0, tile_b.1));
    in_tiles([a, b, c.in_tiles(mb, nb)], |flow, [a, b, c]| {
        linalg::gemm(flow, (trans_a, trans_b), alpha, a, b, beta, c);
    })
    .expect("a product does not fail");
}
