//! QR factorization of a triangle on top of another matrix, and products with its reflectors:
//! LAPACK's `tpqrt` and `tpmqrt` from the left.
//!
//! Reflector `j` is one in row `j` of the triangle and column `j` of the other matrix below, so
//! that only the latter is stored. Blocks of `ib` reflectors as in Buttari, Langou, Kurzak,
//! Dongarra, "A class of parallel tiled linear algebra algorithms for multicore architectures",
//! Parallel Computing 35 (2009), section 2.

use super::gram::extend;
use super::reflector::reflector;
use crate::backend::Blas;
use crate::option::{Below, Diag, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Elements of room for reflectors of `m` entries below the triangle, `ib` at a time, applied to
/// `n` columns.
pub(crate) fn room_for_stacked(m: usize, n: usize, ib: usize) -> usize {
    m * ib + ib * n + m + 2 * ib
}

/// Overwrites the triangle `r` (`n x n`, upper) by that of the QR factorization of `[r; b]`, and
/// `b` by the reflectors; the triangles of the blocks go side by side into `t` (`ib x n`).
pub(crate) fn absorb<T: Scalar>(
    blas: &dyn Blas<T>,
    below: Below,
    mut r: TileMut<'_, T>,
    mut b: TileMut<'_, T>,
    mut t: TileMut<'_, T>,
    room: &mut [T],
) {
    let (m, n, ib) = (b.rows(), b.cols(), t.rows());
    for first in (0..n).step_by(ib.max(1)) {
        let size = ib.min(n - first);
        let rows = below.rows(m, first + size);
        let mut room = &mut room[..];
        let mut v = carve(&mut room, rows, size);
        copy(below, b.as_ref(), first, &mut v);
        let mut t = t.reborrow().part(0, first, size, size);
        let corner = r.reborrow().part(first, first, size, size);
        columns(blas, corner, v.reborrow(), t.reborrow(), room);
        for (i, j) in (0..size).flat_map(|j| (0..rows).map(move |i| (i, j))) {
            if below.holds(i, first + j) {
                b.set(i, first + j, v.at(i, j));
            }
        }
        let (next, left) = (first + size, n - first - size);
        let top = r.reborrow().part(first, next, size, left);
        let bottom = b.reborrow().part(0, next, rows, left);
        apply_block(blas, (v.as_ref(), t.as_ref()), Trans::Conj, (top, bottom), room);
    }
}

/// `[C1; C2] = op(Q) [C1; C2]` with the reflectors and triangles that [`absorb`] left in `v` and
/// `t`; `C1` has as many rows as there are reflectors.
pub(crate) fn apply_stacked<T: Scalar>(
    blas: &dyn Blas<T>,
    below: Below,
    (v, t): (TileRef<'_, T>, TileRef<'_, T>),
    trans: Trans,
    (mut c1, mut c2): (TileMut<'_, T>, TileMut<'_, T>),
    room: &mut [T],
) {
    let (m, k, n, ib) = (v.rows(), v.cols(), c1.cols(), t.rows());
    let blocks = k.div_ceil(ib.max(1));
    for step in 0..blocks {
        let first = ib * if trans == Trans::No { blocks - 1 - step } else { step };
        let size = ib.min(k - first);
        let rows = below.rows(m, first + size);
        let mut room = &mut room[..];
        let mut copied = carve(&mut room, rows, size);
        copy(below, v, first, &mut copied);
        let block = (copied.as_ref(), t.part(0, first, size, size));
        let top = c1.reborrow().part(first, 0, size, n);
        let bottom = c2.reborrow().part(0, 0, rows, n);
        apply_block(blas, block, trans, (top, bottom), room);
    }
}

/// The columns of `b` from `first` on, with zeros for what does not count.
fn copy<T: Scalar>(below: Below, b: TileRef<'_, T>, first: usize, to: &mut TileMut<'_, T>) {
    let (rows, cols) = (to.rows(), to.cols());
    for (i, j) in (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j))) {
        to.set(i, j, if below.holds(i, first + j) { b.at(i, first + j) } else { T::ZERO });
    }
}

/// `op(I - [I; V] T [I; V]^H)` times `[top; bottom]`.
fn apply_block<T: Scalar>(
    blas: &dyn Blas<T>,
    (v, t): (TileRef<'_, T>, TileRef<'_, T>),
    trans: Trans,
    (mut top, bottom): (TileMut<'_, T>, TileMut<'_, T>),
    mut room: &mut [T],
) {
    let (k, n) = (top.rows(), top.cols());
    if n == 0 {
        return;
    }
    let mut w = carve(&mut room, k, n);
    w.copy_from(top.as_ref());
    blas.gemm(T::ONE, v.adjoint(), bottom.as_ref(), T::ONE, w.reborrow());
    blas.trmm(Triangle::new(t, Uplo::Upper, Diag::NonUnit).op(trans), w.reborrow());
    for (i, j) in (0..n).flat_map(|j| (0..k).map(move |i| (i, j))) {
        top.set(i, j, top.at(i, j) - w.at(i, j));
    }
    blas.gemm(-T::ONE, v, w.as_ref(), T::ONE, bottom);
}

/// One block, column by column: each is first brought up to date by the reflectors before it.
fn columns<T: Scalar>(
    blas: &dyn Blas<T>,
    mut r: TileMut<'_, T>,
    mut v: TileMut<'_, T>,
    mut t: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (m, n) = (v.rows(), v.cols());
    let (mut w, mut old) = (carve(&mut room, n, 1), carve(&mut room, n, 1));
    for j in 0..n {
        let (done, rest) = v.reborrow().split_cols(j);
        let (done, mut x) = (done.as_ref(), rest.part(0, 0, m, 1));
        products(blas, done, x.as_ref(), old.reborrow().part(0, 0, j, 1), room);
        for i in 0..j {
            old.set(i, 0, old.at(i, 0) + r.at(i, j));
        }
        for i in 0..j {
            w.set(i, 0, (0..=i).map(|l| t.at(l, i).conj() * old.at(l, 0)).sum());
            r.set(i, j, r.at(i, j) - w.at(i, 0));
        }
        if j > 0 {
            blas.gemv(-T::ONE, done, w.as_ref().part(0, 0, j, 1), T::ONE, x.reborrow());
        }
        let (beta, tau) = reflector(blas, r.at(j, j), &mut x);
        r.set(j, j, beta);
        products(blas, done, x.as_ref(), old.reborrow().part(0, 0, j, 1), room);
        extend(&mut t, j, tau, |i| old.at(i, 0));
    }
}

/// `w = V^H x`.
fn products<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    x: TileRef<'_, T>,
    mut w: TileMut<'_, T>,
    room: &mut [T],
) {
    if v.cols() == 0 {
        return;
    }
    if !T::IS_COMPLEX {
        return blas.gemv(T::ONE, v.transposed(), x, T::ZERO, w);
    }
    // conj(V' conj(x)), so that columns are read as they are.
    let mut turned = TileMut::new(&mut room[..x.rows()], x.rows(), 1);
    turned.copy_from(x.conjugated());
    blas.gemv(T::ONE, v.transposed(), turned.as_ref(), T::ZERO, w.reborrow());
    w.apply(T::conj);
}
