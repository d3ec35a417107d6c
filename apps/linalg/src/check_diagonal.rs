//! The check before a triangular matrix is inverted or solved with.

use std::marker::PhantomData;

use tegula_kernels::kernel::check_diagonal::CheckDiagonal;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::R;
use tegula_runtime::flow::Flow;

use crate::view::View;

/// Submits tasks that look at the diagonal of `a`, and change nothing.
///
/// [`Flow::wait`] fails with `SingularTriangle` and the index of the first zero: xTRTRI and xTRTRS
/// look before they begin.
///
/// # Panics
/// If the tiles are not square.
pub fn check_diagonal<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>) {
    let a = a.into();
    assert!(a.mb() == a.nb(), "tiles of {} x {} are not square", a.mb(), a.nb());
    for k in 0..a.mt().min(a.nt()) {
        let (tile, scalar) = (a.tile(k, k), PhantomData::<T>);
        let (m, n) = tile.stored();
        let check = CheckDiagonal { m, n, offset: k * a.nb(), scalar };
        flow.submit(check, &[(tile.handle, R)], 0);
    }
}
