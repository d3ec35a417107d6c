//! `xSYRK` and `xHERK`: the product of a matrix with its transpose.

use tegula_kernels::kernel::syrk::Syrk;
use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{ADJOINT, UPLO, plain_trans};
use crate::run::{blas, in_tiles, is_small, product as sizes, tile};

export! {
    "A triangle of `C = alpha A A^T + beta C`, or with `A^T A`."
    syrk(
        uplo: Letter, trans: Letter, n: Int, k: Int, alpha: Number, a: Input, lda: Int,
        beta: Number, c: Array, ldc: Int
    ) nothing as ssyrk_: f32, dsyrk_: f64, csyrk_: c32, zsyrk_: c64;

    "A triangle of `C = alpha A A^H + beta C`, or with `A^H A`."
    herk(
        uplo: Letter, trans: Letter, n: Int, k: Int, alpha: Real, a: Input, lda: Int,
        beta: Real, c: Array, ldc: Int
    ) nothing as cherk_: c32, zherk_: c64;
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn syrk<T: Scalar>(
    uplo: Letter,
    trans: Letter,
    n: i32,
    k: i32,
    alpha: T,
    a: Array<T>,
    lda: i32,
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
    let c = c.matrix(n, n, ldc.leading(10, n)?);
    multiply(Product { form: Form::Symmetric, uplo, trans, alpha, beta }, k, a, c);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn herk<T: Scalar>(
    uplo: Letter,
    trans: Letter,
    n: i32,
    k: i32,
    alpha: T::Real,
    a: Array<T>,
    lda: i32,
    beta: T::Real,
    c: Array<T>,
    ldc: i32,
) -> Checked<()> {
    let (uplo, trans) = (uplo.of(1, UPLO)?, trans.of(2, ADJOINT)?);
    let (n, k) = (n.size(3)?, k.size(4)?);
    let (rows, cols) = trans.stored(n, k);
    let a = a.matrix(rows, cols, lda.leading(7, rows)?);
    let c = c.matrix(n, n, ldc.leading(10, n)?);
    let (alpha, beta) = (T::from_real(alpha), T::from_real(beta));
    multiply(Product { form: Form::Hermitian, uplo, trans, alpha, beta }, k, a, c);
    Ok(())
}

/// What a product is besides its matrices.
struct Product<T> {
    form: Form,
    uplo: Uplo,
    trans: Trans,
    alpha: T,
    beta: T,
}

/// The product with `op(a)` of `k` columns; without a term to add, the diagonal is left as it is.
fn multiply<T: Scalar>(product: Product<T>, k: usize, a: Matrix<T>, c: Matrix<T>) {
    let Product { form, uplo, trans, alpha, beta } = product;
    let n = c.rows;
    if n == 0 || (alpha == T::ZERO || k == 0) && beta == T::ONE {
        return;
    }
    // Without a term to add, A is not read.
    let k = if alpha == T::ZERO { 0 } else { k };
    if is_small::<T>(sizes([n, n, k]) / 2.0) || k == 0 {
        let (rows, cols) = trans.stored(n, k);
        let kernel = Syrk { form, uplo, trans, n, k, alpha, beta };
        return kernel.compute(blas(), a.view().part(0, 0, rows, cols), c.view_mut());
    }
    let (nb, kb) = (tile(n), tile(k));
    let (rows, cols) = trans.stored(nb, kb);
    in_tiles([a.in_tiles(rows, cols), c.in_tiles(nb, nb)], |flow, [a, c]| {
        linalg::syrk(flow, (form, uplo, trans), alpha, a, beta, c);
    })
    .expect("a product does not fail");
}
