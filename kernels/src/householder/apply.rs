//! A block of reflectors times a matrix: LAPACK's `larfb`, as products.

use super::{Block, PackedReflectors, copy_top};
use crate::backend::Blas;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Rows of the blocks of a triangle.
const ROWS: usize = 48;

/// Elements of room to apply `k` reflectors to `n` columns.
pub(crate) fn room_to_apply(k: usize, n: usize) -> usize {
    k * (k + 2 * n) + ROWS.min(k).pow(2)
}

/// `C = op(H) C`, `H = I - V T V^H` and `op(H) = I - V op(T) V^H`.
pub(crate) fn apply<T: Scalar>(
    blas: &dyn Blas<T>,
    block: Block<'_, T>,
    trans: Trans,
    c: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (m, n, k) = (c.rows(), c.cols(), block.count());
    if k == 0 || n == 0 {
        return;
    }
    let mut w = carve(&mut room, k, n);
    let mut product = carve(&mut room, k, n);
    let mut top = carve(&mut room, k, k);
    copy_top(block.v, &mut top);
    let (top, rest) = (top.as_ref(), block.v.part(k, 0, m - k, k));
    let (mut c1, mut c2) = c.split_rows(k);
    blas.gemm(T::ONE, top.adjoint(), c1.as_ref(), T::ZERO, w.reborrow());
    blas.gemm(T::ONE, rest.adjoint(), c2.as_ref(), T::ONE, w.reborrow());
    multiply(blas, block.t, trans, w.as_ref(), &mut product, room);
    let product = product.as_ref();
    blas.gemm(-T::ONE, top, product, T::ONE, c1.reborrow());
    blas.gemm(-T::ONE, rest, product, T::ONE, c2.reborrow());
}

/// The same, of packed reflectors with the triangle `t`.
pub(crate) fn apply_packed<T: Scalar>(
    blas: &dyn Blas<T>,
    (PackedReflectors { columns, rows }, t): (PackedReflectors<'_, T>, TileRef<'_, T>),
    trans: Trans,
    c: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (k, n) = (t.rows(), c.cols());
    if k == 0 || n == 0 {
        return;
    }
    let (mut w, mut product) = (carve(&mut room, k, n), carve(&mut room, k, n));
    blas.gemm_packed_left(T::ONE, rows, c.as_ref(), T::ZERO, w.reborrow());
    multiply(blas, t, trans, w.as_ref(), &mut product, room);
    blas.gemm_packed_left(-T::ONE, columns, product.as_ref(), T::ONE, c);
}

/// `to = op(T) W`, of the upper triangle of `t`, by rows of blocks.
///
/// What is below the diagonal in a block on it is left out by a copy.
fn multiply<T: Scalar>(
    blas: &dyn Blas<T>,
    t: TileRef<'_, T>,
    trans: Trans,
    w: TileRef<'_, T>,
    to: &mut TileMut<'_, T>,
    room: &mut [T],
) {
    let (k, n) = (w.rows(), w.cols());
    for first in (0..k).step_by(ROWS) {
        let size = ROWS.min(k - first);
        let mut corner = TileMut::new(&mut room[..size * size], size, size);
        for (i, j) in (0..size).flat_map(|j| (0..size).map(move |i| (i, j))) {
            corner.set(i, j, if i <= j { t.at(first + i, first + j) } else { T::ZERO });
        }
        let mut target = to.reborrow().part(first, 0, size, n);
        let mine = w.part(first, 0, size, n);
        blas.gemm(T::ONE, trans.of(corner.as_ref()), mine, T::ZERO, target.reborrow());
        let (beside, others) = if trans == Trans::No {
            let (next, left) = (first + size, k - first - size);
            (t.part(first, next, size, left), w.part(next, 0, left, n))
        } else {
            (t.part(0, first, first, size), w.part(0, 0, first, n))
        };
        blas.gemm(T::ONE, trans.of(beside), others, T::ONE, target);
    }
}
