//! Tiled matrix product: `C = alpha op(A) op(B) + beta C`.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::product::{self, Left};
use crate::view::View;

/// Submits the product of `op(a)` (`m x k`) and `op(b)` (`k x n`), added to `beta c` (`m x n`).
///
/// As in BLAS, a `beta` of zero overwrites `c`, and an `alpha` of zero does not read `a` and `b`.
/// Where all workers share one memory, factors may be copied in the layout that micro-kernels read:
/// some columns of tiles of `op(a)` and rows of tiles of `op(b)` at a time.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn gemm<'a, T: Scalar>(
    flow: &mut Flow,
    (trans_a, trans_b): (Trans, Trans),
    alpha: T,
    a: impl Into<View<'a, T>>,
    b: impl Into<View<'a, T>>,
    beta: T,
    c: impl Into<View<'a, T>>,
) {
    let (a, b, c) = (a.into().op(trans_a), b.into().op(trans_b), c.into());
    check(a, b, c);
    product::multiply(flow, alpha, &Left { view: a, structure: Structure::General }, b, beta, c);
}

/// # Panics
/// If the shapes or the tilings of a product do not fit each other.
pub(crate) fn check<T: Scalar>(a: View<'_, T>, b: View<'_, T>, c: View<'_, T>) {
    assert!(
        (a.n(), a.nb()) == (b.m(), b.mb()),
        "the left factor has {} columns in {}s, the right one {} rows in {}s",
        a.n(),
        a.nb(),
        b.m(),
        b.mb()
    );
    assert!(
        (a.m(), b.n(), a.mb(), b.nb()) == (c.m(), c.n(), c.mb(), c.nb()),
        "the product is {} x {} in {} x {} tiles, C {} x {} in {} x {}",
        a.m(),
        b.n(),
        a.mb(),
        b.nb(),
        c.m(),
        c.n(),
        c.mb(),
        c.nb()
    );
}
