//! `xSYR2K` and `xHER2K`: the symmetric product of two matrices.

use tegula_kernels::kernel::syr2k::Syr2k;
use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{ADJOINT, UPLO, plain_trans};
use crate::run::{blas, in_tiles, is_small, product, tile};

export! {
    "A triangle of `C = alpha A B^T + alpha B A^T + beta C`, or with `A^T B` and `B^T A`."
    syr2k(
        uplo: Letter, trans: Letter, n: Int, k: Int, alpha: Number, a: Input, lda: Int, b: Input,
        ldb: Int, beta: Number, c: Array, ldc: Int
    ) nothing as ssyr2k_: f32, dsyr2k_: f64, csyr2k_: c32, zsyr2k_: c64;

    "A triangle of `C = alpha A B^H + conj(alpha) B A^H + beta C`, or with `A^H B` and `B^H A`."
    her2k(
        uplo: Letter, trans: Letter, n: Int, k: Int, alpha: Number, a: Input, lda: Int, b: Input,
        ldb: Int, beta: Real, c: Array, ldc: Int
    ) nothing as cher2k_: c32, zher2k_: c64;
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn syr2k<T: Scalar>(
    uplo: Letter,
    trans: Letter,
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
    let (uplo, trans) = (uplo.of(1, UPLO)?, trans.of(2, plain_trans::<T>())?);
    // Real matrices take C for T.
    let trans = if trans.swaps() { Trans::Yes } else { trans };
    let (n, k) = (n.size(3)?, k.size(4)?);
    let (rows, cols) = trans.stored(n, k);
    let a = a.matrix(rows, cols, lda.leading(7, rows)?);
    let b = b.matrix(rows, cols, ldb.leading(9, rows)?);
    let c = c.matrix(n, n, ldc.leading(12, n)?);
    multiply((Form::Symmetric, uplo, trans), k, alpha, (a, b), beta, c);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn her2k<T: Scalar>(
    uplo: Letter,
    trans: Letter,
    n: i32,
    k: i32,
    alpha: T,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
    beta: T::Real,
    c: Array<T>,
    ldc: i32,
) -> Checked<()> {
    let (uplo, trans) = (uplo.of(1, UPLO)?, trans.of(2, ADJOINT)?);
    let (n, k) = (n.size(3)?, k.size(4)?);
    let (rows, cols) = trans.stored(n, k);
    let a = a.matrix(rows, cols, lda.leading(7, rows)?);
    let b = b.matrix(rows, cols, ldb.leading(9, rows)?);
    let c = c.matrix(n, n, ldc.leading(12, n)?);
    multiply((Form::Hermitian, uplo, trans), k, alpha, (a, b), T::from_real(beta), c);
    Ok(())
}

/// The product with `op(a)` and `op(b)` of `k` columns.
fn multiply<T: Scalar>(
    (form, uplo, trans): (Form, Uplo, Trans),
    k: usize,
    alpha: T,
    (a, b): (Matrix<T>, Matrix<T>),
    beta: T,
    c: Matrix<T>,
) {
    let n = c.rows;
    if n == 0 || (alpha == T::ZERO || k == 0) && beta == T::ONE {
        return;
    }
    // Without a term to add, A and B are not read.
    let k = if alpha == T::ZERO { 0 } else { k };
    if is_small::<T>(product([n, n, k])) || k == 0 {
        let (rows, cols) = trans.stored(n, k);
        let kernel = Syr2k { form, uplo, trans, n, k, alpha, beta };
        let (a, b) = (a.view().part(0, 0, rows, cols), b.view().part(0, 0, rows, cols));
        return kernel.compute(blas(), a, b, c.view_mut());
    }
    let (nb, kb) = (tile(n), tile(k));
    let (rows, cols) = trans.stored(nb, kb);
    let matrices = [a.in_tiles(rows, cols), b.in_tiles(rows, cols), c.in_tiles(nb, nb)];
    in_tiles(matrices, |flow, [a, b, c]| {
        linalg::syr2k(flow, (form, uplo, trans), alpha, a, b, beta, c);
    })
    .expect("a product does not fail");
}
