//! `xSYMM` and `xHEMM`: products with a symmetric or Hermitian matrix.

use tegula_kernels::kernel::symm::Symm;
use tegula_kernels::option::{Form, Side, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::{SIDE, UPLO};
use crate::run::{blas, in_tiles, is_small, product, tile};

export! {
    "`C = alpha A B + beta C`, or `C = alpha B A + beta C`, with a symmetric matrix `A`."
    symm(
        side: Letter, uplo: Letter, m: Int, n: Int, alpha: Number, a: Input, lda: Int, b: Input,
        ldb: Int, beta: Number, c: Array, ldc: Int
    ) nothing as ssymm_: f32, dsymm_: f64, csymm_: c32, zsymm_: c64;

    "`C = alpha A B + beta C`, or `C = alpha B A + beta C`, with a Hermitian matrix `A`."
    hemm(
        side: Letter, uplo: Letter, m: Int, n: Int, alpha: Number, a: Input, lda: Int, b: Input,
        ldb: Int, beta: Number, c: Array, ldc: Int
    ) nothing as chemm_: c32, zhemm_: c64;
}

macro_rules! routines {
    ($($name:ident $form:ident),+) => { $(
        #[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
        fn $name<T: Scalar>(
            side: Letter,
            uplo: Letter,
            m: i32,
            n: i32,
            alpha: T,
            a: Array<T>,
            lda: i32,
            b: Array<T>,
            ldb: i32,
            beta: T,
            c: Array<T>,
            ldc: i32,
        ) -> Checked<()> {
            let form = Form::$form;
            checked(form, side, uplo, (m, n), alpha, (a, lda), (b, ldb), beta, (c, ldc))
        }
    )+ };
}

routines! { symm Symmetric, hemm Hermitian }

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn checked<T: Scalar>(
    form: Form,
    side: Letter,
    uplo: Letter,
    (m, n): (i32, i32),
    alpha: T,
    (a, lda): (Array<T>, i32),
    (b, ldb): (Array<T>, i32),
    beta: T,
    (c, ldc): (Array<T>, i32),
) -> Checked<()> {
    let (side, uplo) = (side.of(1, SIDE)?, uplo.of(2, UPLO)?);
    let (m, n) = (m.size(3)?, n.size(4)?);
    let order = if side == Side::Left { m } else { n };
    let a = a.matrix(order, order, lda.leading(7, order)?);
    let b = b.matrix(m, n, ldb.leading(9, m)?);
    let c = c.matrix(m, n, ldc.leading(12, m)?);
    if m == 0 || n == 0 || alpha == T::ZERO && beta == T::ONE {
        return Ok(());
    }
    if alpha == T::ZERO {
        c.view_mut().scale(beta);
    } else {
        multiply((form, side, uplo), alpha, a, b, beta, c);
    }
    Ok(())
}

/// Multiplies where there is something to multiply.
pub(crate) fn multiply<T: Scalar>(
    (form, side, uplo): (Form, Side, Uplo),
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    beta: T,
    c: Matrix<T>,
) {
    let (m, n) = (c.rows, c.cols);
    if is_small::<T>(product([m, n, a.rows])) {
        let kernel = Symm { form, side, uplo, m, n, alpha, beta };
        return kernel.compute(blas(), a.view(), b.view(), c.view_mut());
    }
    let (mb, nb) = (tile(m), tile(n));
    let of_a = if side == Side::Left { mb } else { nb };
    let matrices = [a.in_tiles(of_a, of_a), b.in_tiles(mb, nb), c.in_tiles(mb, nb)];
    in_tiles(matrices, |flow, [a, b, c]| {
        linalg::symm(flow, (form, side, uplo), alpha, a, b, beta, c);
    })
    .expect("a product does not fail");
}
