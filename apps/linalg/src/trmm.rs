//! Tiled triangular product, in place: `B = alpha op(T) B` or `B = alpha B op(T)`.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::product::{self, Factor, Packing};
use crate::tasks;
use crate::trsm::Triangle;
use crate::view::View;

/// Submits the product with the triangle `t` of all of `b`, in place (xTRMM).
///
/// Step by step a row of tiles of `b` is added, times its column of `op(T)`, to the rows that are
/// complete up to it, and then multiplied by the tile on the diagonal: of a lower triangle from the
/// bottom up, since no row needs one below it. As in BLAS, an `alpha` of zero sets `b` to zero and
/// reads nothing.
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
        let k = if uplo == Uplo::Lower { steps - 1 - step } else { step };
        let others = if uplo == Uplo::Lower { k + 1..steps } else { 0..k };
        let priority = (steps - step) as i32;
        let mut packing = Packing::<T>::new(flow, (others.len(), b.nt()));
        let mut rows: Vec<Factor> = Vec::new();
        for line in 0..b.nt() {
            if !others.is_empty() {
                rows.push(packing.right(flow, b.tile(k, line), priority));
            }
        }
        for i in others {
            let left = packing.left(flow, t.tile(i, k), Structure::General, priority);
            for (line, &row) in rows.iter().enumerate() {
                packing.multiply(flow, (alpha, T::ONE), (left, row), b.tile(i, line), 0);
            }
        }
        for line in 0..b.nt() {
            tasks::trmm(flow, triangle.corner(t, uplo, k), alpha, b.tile(k, line), priority);
        }
        packing.retire(flow);
    }
}
