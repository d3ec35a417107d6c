//! Tiled triangular product, in place: `B = alpha op(T) B` or `B = alpha B op(T)`.

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::product;
use crate::tasks;
use crate::trsm::Triangle;
use crate::view::View;

/// Submits the product with the triangle `t` of all of `b`, in place (xTRMM).
///
/// Rows of tiles are overwritten from the end that no other row needs: of a lower triangle from the
/// bottom up. As in BLAS, an `alpha` of zero sets `b` to zero and reads nothing.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn trmm<'a, T: Scalar>(
    flow: &mut Flow,
    triangle: Triangle,
    alpha: T,
    t: impl Into<View<'a, T>>,
    b: impl Into<View<'a, T>>,
) {
    let (t, uplo, b) = triangle.on_the_left(t.into(), b.into());
    if alpha == T::ZERO {
        return product::scale(flow, alpha, b);
    }
    let steps = t.nt();
    for step in 0..steps {
        flow.iteration(step);
        let i = if uplo == Uplo::Lower { steps - 1 - step } else { step };
        let others = if uplo == Uplo::Lower { 0..i } else { i + 1..steps };
        for line in 0..b.nt() {
            let corner = triangle.corner(t, uplo, i);
            tasks::trmm(flow, corner, alpha, b.tile(i, line), 0);
            for l in others.clone() {
                let pair = (t.tile(i, l), b.tile(l, line));
                tasks::gemm(flow, (alpha, T::ONE), pair, b.tile(i, line), 0);
            }
        }
    }
}
