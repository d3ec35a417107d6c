//! Tiled product with a symmetric or Hermitian matrix: `C = alpha A B + beta C`, or from the right.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Form, Side, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::gemm::check;
use crate::product::{self, Left};
use crate::view::View;

/// Submits `C = alpha A B + beta C`, or `C = alpha B A + beta C` if `side` is right, with the
/// symmetric or Hermitian matrix `a` of which the triangle `uplo` is read (xSYMM, xHEMM).
///
/// # Panics
/// If the shapes or the tilings do not fit each other, or the tiles of `a` are not square.
pub fn symm<T: Scalar>(
    flow: &mut Flow,
    (form, side, uplo): (Form, Side, Uplo),
    alpha: T,
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
    beta: T,
    c: &TileMatrix<T>,
) {
    let (a, b, c) = (View::of_triangle(a, form, uplo), View::from(b), View::from(c));
    a.check_square();
    // From the right, the transposed formula.
    let (a, b, c) = match side {
        Side::Left => (a, b, c),
        Side::Right if form == Form::Hermitian => (a.conjugated(), b.transposed(), c.transposed()),
        Side::Right => (a, b.transposed(), c.transposed()),
    };
    check(a, b, c);
    let structure = Structure::Symmetric(form, Uplo::Lower);
    product::multiply(flow, alpha, &Left { view: a, structure }, b, beta, c);
}
