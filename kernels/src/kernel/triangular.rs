//! What the triangular product and the triangular solve share: a matrix `B` of `m x n` with a
//! triangular matrix `T` on one of its sides.

use tegula_runtime::flow::Cost;

use crate::kernel::{bytes, product};
use crate::option::{Side, Trans, Triangle};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// Order of `T`.
pub(super) fn order(side: Side, m: usize, n: usize) -> usize {
    match side {
        Side::Left => m,
        Side::Right => n,
    }
}

/// `op(T)` and `B` with `op(T)` on the left: the whole formula is transposed if it was on the
/// right.
pub(super) fn on_the_left<'a, 'b, T: Scalar>(
    side: Side,
    trans: Trans,
    t: Triangle<'a, T>,
    b: TileMut<'b, T>,
) -> (Triangle<'a, T>, TileMut<'b, T>) {
    let t = t.op(trans);
    match side {
        Side::Left => (t, b),
        Side::Right => (t.transposed(), b.transposed()),
    }
}

/// Flops and traffic.
pub(super) fn cost<T>(side: Side, m: usize, n: usize) -> Cost {
    let order = order(side, m, n);
    let bytes = bytes::<T>(&[order * (order + 1) / 2, 2 * m * n]);
    Cost { flops: product(&[m, n, order]), bytes }
}
