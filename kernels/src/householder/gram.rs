//! The triangle `T` of a block of reflectors: LAPACK's `larft`, by recursion on halves.

use super::{copy_top, half};
use crate::backend::Blas;
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Reflectors under which loops take over.
const LEAF: usize = 16;

/// Elements of room for the triangle of `k` reflectors.
pub(crate) fn room_for_triangle(k: usize) -> usize {
    2 * k * k
}

/// `T` (on and above the diagonal of `t`) of the reflectors below the diagonal of `v`.
///
/// Column `i` of it is `-tau(i) T V^H v(i)` above the diagonal and `tau(i)` on it.
pub(crate) fn triangle<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    tau: TileRef<'_, T>,
    t: TileMut<'_, T>,
    room: &mut [T],
) {
    let (m, k) = (v.rows(), v.cols());
    if k <= LEAF {
        return columns(blas, v, tau, t, room);
    }
    let cut = half(k);
    let [(mut t1, t12), (_, mut t2)] = t.split(cut, cut);
    let (left, right) = (v.part(0, 0, m, cut), v.part(cut, cut, m - cut, k - cut));
    triangle(blas, left, tau.part(0, 0, cut, 1), t1.reborrow(), room);
    triangle(blas, right, tau.part(cut, 0, k - cut, 1), t2.reborrow(), room);
    join(blas, (left, right), (t1.as_ref(), t2.as_ref()), t12, room);
}

/// The square `T12 = -T1 (V1^H V2) T2` beside two triangles: the first reflectors are `V1`, the
/// others begin as many rows further down and are `V2` (Elmroth, Gustavson, "Applying recursion to
/// serial and parallel QR factorization leads to better performance", IBM J. Res. Dev. 44, 2000,
/// equation 5).
pub(super) fn join<T: Scalar>(
    blas: &dyn Blas<T>,
    (v1, v2): (TileRef<'_, T>, TileRef<'_, T>),
    (t1, t2): (TileRef<'_, T>, TileRef<'_, T>),
    mut t12: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (first, second, rest) = (v1.cols(), v2.cols(), v2.rows() - v2.cols());
    let mut top = carve(&mut room, second, second);
    copy_top(v2, &mut top);
    let beside = v1.part(first, 0, second, first).adjoint();
    blas.gemm(-T::ONE, beside, top.as_ref(), T::ZERO, t12.reborrow());
    let (below1, below2) =
        (v1.part(first + second, 0, rest, first), v2.part(second, 0, rest, second));
    blas.gemm(-T::ONE, below1.adjoint(), below2, T::ONE, t12.reborrow());
    let upper = |t| Triangle::new(t, Uplo::Upper, Diag::NonUnit);
    blas.trmm(upper(t1), t12.reborrow());
    blas.trmm(upper(t2).transposed(), t12.transposed());
}

/// Column by column, from the products `V^H V`.
fn columns<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    tau: TileRef<'_, T>,
    mut t: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (m, k) = (v.rows(), v.cols());
    let mut top = carve(&mut room, k, k);
    copy_top(v, &mut top);
    let (top, below) = (top.as_ref(), v.part(k, 0, m - k, k));
    let mut products = carve(&mut room, k, k);
    blas.gemm(T::ONE, top.adjoint(), top, T::ZERO, products.reborrow());
    blas.gemm(T::ONE, below.adjoint(), below, T::ONE, products.reborrow());
    for j in 0..k {
        extend(&mut t, j, tau.at(j, 0), |i| products.at(i, j));
    }
}

/// Column `j` of the triangle, from `tau(j)` and the products of the reflectors before with `v(j)`.
pub(super) fn extend<T: Scalar>(
    t: &mut TileMut<'_, T>,
    j: usize,
    tau: T,
    product: impl Fn(usize) -> T,
) {
    for i in 0..j {
        let sum: T = (i..j).map(|l| t.at(i, l) * product(l)).sum();
        t.set(i, j, -tau * sum);
    }
    t.set(j, j, tau);
}
