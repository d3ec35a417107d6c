//! Tiled solves with a positive definite matrix: `B = A^-1 B`, from its Cholesky factor or at once.

use std::ops::Range;

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::potrf::potrf_steps;
use crate::trsm::{Triangle, trsm};
use crate::view::View;

/// Submits the solves `L Y = B` and `L^H X = Y` with the factor `l` that
/// [`potrf`](crate::potrf) left; `b` is overwritten by `X`.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn potrs<'a, T: Scalar>(flow: &mut Flow, l: impl Into<View<'a, T>>, b: impl Into<View<'a, T>>) {
    let (l, b) = (l.into(), b.into());
    for trans in [Trans::No, Trans::Conj] {
        let triangle = Triangle { side: Side::Left, uplo: Uplo::Lower, trans, diag: Diag::NonUnit };
        trsm(flow, triangle, T::ONE, l, b);
    }
}

/// Submits the factorisation of `a` by [`potrf`](crate::potrf) and the solves of
/// [`potrs`](crate::potrs): `a` is overwritten by its factor, `b` by `A^-1 B` (xPOSV).
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn posv<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>, b: impl Into<View<'a, T>>) {
    let a = a.into();
    posv_steps(flow, a, b, 0..a.nt());
}

/// Submits these steps of the factorisation in [`posv`], after those before; with the last, the
/// solves. Until then `b` is as it was.
///
/// # Panics
/// If the shapes or the tilings do not fit each other, or there are no such steps.
pub fn posv_steps<'a, T: Scalar>(
    flow: &mut Flow,
    a: impl Into<View<'a, T>>,
    b: impl Into<View<'a, T>>,
    steps: Range<usize>,
) {
    let a = a.into();
    let is_last = steps.end == a.nt();
    potrf_steps(flow, a, steps);
    if is_last {
        potrs(flow, a, b);
    }
}
