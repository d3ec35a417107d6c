//! Tiled symmetric products: a triangle of `C = alpha op(A) op(A)' + beta C`.

use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::product;
use crate::view::View;

/// Submits the triangle `uplo` of `C = alpha op(A) op(A)' + beta C` (xSYRK) or, if `form` is
/// Hermitian, of `C = alpha op(A) op(A)^H + beta C` (xHERK), of whose factors the real parts count.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn syrk<T: Scalar>(
    flow: &mut Flow,
    (form, uplo, trans): (Form, Uplo, Trans),
    alpha: T,
    a: &TileMatrix<T>,
    beta: T,
    c: &TileMatrix<T>,
) {
    let (alpha, beta) = factors(form, alpha, beta);
    let (a, c) = (View::from(a).op(trans), View::of_triangle(c, form, uplo));
    c.check_square();
    assert!(
        (a.m(), a.mb()) == (c.m(), c.mb()),
        "op(A) has {} rows in {}s, C {} in {}s",
        a.m(),
        a.mb(),
        c.m(),
        c.mb()
    );
    product::square(flow, form, alpha, a, beta, c);
}

/// The factors of which the real parts count if `form` is Hermitian.
fn factors<T: Scalar>(form: Form, alpha: T, beta: T) -> (T, T) {
    match form {
        Form::Symmetric => (alpha, beta),
        Form::Hermitian => (T::from_real(alpha.re()), T::from_real(beta.re())),
    }
}
