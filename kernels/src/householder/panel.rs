//! QR factorization of a panel by recursion on its columns: LAPACK's `geqrt3`.
//!
//! Elmroth, Gustavson, "Applying recursion to serial and parallel QR factorization leads to better
//! performance", IBM J. Res. Dev. 44 (2000): the left half is factorized, applied to the right
//! one as a block, and the triangles of both halves are joined; so nearly all operations are
//! products of matrices.

use super::gram::{extend, join};
use super::reflector::reflector;
use super::{Block, apply, half};
use crate::backend::Blas;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Columns at which the recursion ends.
const LEAF: usize = 8;

/// Elements of room to factorize an `m x n` panel.
pub(crate) fn room_to_factor(m: usize, n: usize) -> usize {
    m * n + 2 * n * n + m
}

/// Factorizes `a` (`m x n`): `R` on and above the diagonal, the reflectors below, their factors in
/// `tau` (`min(m, n)` rows) and on and above the diagonal of `t` their triangle.
pub(crate) fn factor<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    tau: TileMut<'_, T>,
    t: TileMut<'_, T>,
    mut room: &mut [T],
) {
    if a.row_stride() == 1 || a.rows() <= 1 {
        return halves(blas, a, tau, t, room);
    }
    // Vectors are columns here; where those are not adjacent in memory a copy is.
    let mut copy = carve(&mut room, a.rows(), a.cols());
    copy.copy_from(a.as_ref());
    halves(blas, copy.reborrow(), tau, t, room);
    a.copy_from(copy.as_ref());
}

/// As [`factor`], of columns whose rows are adjacent.
fn halves<T: Scalar>(
    blas: &dyn Blas<T>,
    a: TileMut<'_, T>,
    mut tau: TileMut<'_, T>,
    t: TileMut<'_, T>,
    room: &mut [T],
) {
    let (m, n) = (a.rows(), a.cols());
    let k = m.min(n);
    if k < n {
        let ((mut left, right), mut t) = (a.split_cols(k), t);
        halves(blas, left.reborrow(), tau, t.reborrow(), room);
        return apply(blas, Block { v: left.as_ref(), t: t.as_ref() }, Trans::Conj, right, room);
    }
    if n <= LEAF {
        return columns(blas, a, &mut tau, t, room);
    }
    let cut = half(n);
    let (mut left, mut right) = a.split_cols(cut);
    let (tau1, tau2) = tau.split_rows(cut);
    let [(mut t1, t12), (_, mut t2)] = t.split(cut, cut);
    halves(blas, left.reborrow(), tau1, t1.reborrow(), room);
    let block = Block { v: left.as_ref(), t: t1.as_ref() };
    apply(blas, block, Trans::Conj, right.reborrow(), room);
    let (_, mut right) = right.split_rows(cut);
    halves(blas, right.reborrow(), tau2, t2.reborrow(), room);
    join(blas, (left.as_ref(), right.as_ref()), (t1.as_ref(), t2.as_ref()), t12, room);
}

/// Column by column: each is first brought up to date by the reflectors before it.
fn columns<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    tau: &mut TileMut<'_, T>,
    mut t: TileMut<'_, T>,
    room: &mut [T],
) {
    for j in 0..a.cols() {
        let (done, rest) = a.reborrow().split_cols(j);
        let (done, mut column) = (done.as_ref(), rest.part(0, 0, done.rows(), 1));
        let mut w = products(blas, done, column.as_ref(), 0, room);
        // T^H w, from the last entry on.
        for i in (0..j).rev() {
            w[i] = (0..=i).map(|l| t.at(l, i).conj() * w[l]).sum();
        }
        take_out(blas, done, &mut w[..j], &mut column);
        let (mut top, mut below) = column.split_rows(j + 1);
        let (beta, factor) = reflector(blas, top.at(j, 0), &mut below);
        tau.set(j, 0, factor);
        // As the vector that it is, with a one in row `j`.
        top.set(j, 0, T::ONE);
        let column = a.as_ref().part(0, j, a.rows(), 1);
        let w = products(blas, a.as_ref().part(0, 0, a.rows(), j), column, j, room);
        a.set(j, j, beta);
        extend(&mut t, j, factor, |i| w[i]);
    }
}

/// `V^H x` for the reflectors `V` below the diagonal of `v` and a vector `x` that is zero above row
/// `first`, whatever stands there.
fn products<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    x: TileRef<'_, T>,
    first: usize,
    room: &mut [T],
) -> [T; LEAF] {
    let (m, k) = (v.rows(), v.cols());
    let mut w = [T::ZERO; LEAF];
    if k == 0 {
        return w;
    }
    let (v2, x2) = (v.part(k, 0, m - k, k), x.part(k, 0, m - k, 1));
    let mut sums = TileMut::new(&mut w[..k], k, 1);
    if T::IS_COMPLEX {
        // conj(V' conj(x)), so that columns are read as they are.
        let mut turned = TileMut::new(&mut room[..m - k], m - k, 1);
        turned.copy_from(x2.conjugated());
        blas.gemv(T::ONE, v2.transposed(), turned.as_ref(), T::ZERO, sums.reborrow());
        sums.apply(T::conj);
    } else {
        blas.gemv(T::ONE, v2.transposed(), x2, T::ZERO, sums);
    }
    for (i, sum) in w[..k].iter_mut().enumerate() {
        if i >= first {
            *sum += x.at(i, 0);
        }
        *sum += (first.max(i + 1)..k).map(|row| v.at(row, i).conj() * x.at(row, 0)).sum();
    }
    w
}

/// `x = x - V w`.
fn take_out<T: Scalar>(blas: &dyn Blas<T>, v: TileRef<'_, T>, w: &mut [T], x: &mut TileMut<'_, T>) {
    let (m, k) = (v.rows(), v.cols());
    if k == 0 {
        return;
    }
    for (i, &w) in w.iter().enumerate() {
        x.set(i, 0, x.at(i, 0) - w);
        for row in i + 1..k {
            x.set(row, 0, x.at(row, 0) - v.at(row, i) * w);
        }
    }
    let below = x.reborrow().part(k, 0, m - k, 1);
    blas.gemv(-T::ONE, v.part(k, 0, m - k, k), TileRef::new(w, k, 1), T::ONE, below);
}
