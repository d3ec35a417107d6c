//! What the references and trials of kernels on reflectors share: the obvious loops, and panels
//! that are well conditioned.

use std::marker::PhantomData;

use super::geqrt::Geqrt;
use super::trial::{Draw, Guarded};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Entry `i` of reflector `j`, of those in columns below the diagonal of `v`.
pub(super) fn entry<T: Scalar>(v: TileRef<'_, T>, i: usize, j: usize) -> T {
    match i.cmp(&j) {
        std::cmp::Ordering::Less => T::ZERO,
        std::cmp::Ordering::Equal => T::ONE,
        std::cmp::Ordering::Greater => v.at(i, j),
    }
}

/// `C = (I - tau v v^H) C`.
pub(super) fn reflect<T: Scalar>(v: &[T], tau: T, c: &mut TileMut<'_, T>) {
    for j in 0..c.cols() {
        let sum: T = v.iter().enumerate().map(|(i, v)| v.conj() * c.at(i, j)).sum();
        for (i, &v) in v.iter().enumerate() {
            c.set(i, j, c.at(i, j) - tau * v * sum);
        }
    }
}

/// `C = H(1) ... H(k) C`, or the product with its conjugate transpose.
pub(super) fn reflect_all<T: Scalar>(
    v: TileRef<'_, T>,
    tau: &[T],
    is_adjoint: bool,
    c: &mut TileMut<'_, T>,
) {
    for step in 0..tau.len() {
        let j = if is_adjoint { step } else { tau.len() - 1 - step };
        let column: Vec<T> = (0..v.rows()).map(|i| entry(v, i, j)).collect();
        reflect(&column, if is_adjoint { tau[j].conj() } else { tau[j] }, c);
    }
}

/// An `m x n` panel (stored as it is to be) that is well conditioned from row `offset` on.
pub(super) fn panel<T: Scalar>(geqrt: Geqrt<T>, draw: &mut Draw) -> Guarded<T> {
    let Geqrt { storev, m, n, offset, .. } = geqrt;
    let order = (m - offset).max(n);
    let square = draw.dominant::<T>(order);
    let (rows, cols) = storev.stored(m, n);
    let mut panel = Guarded::random(rows, cols, draw);
    for (i, j) in (0..n).flat_map(|j| (offset..m).map(move |i| (i, j))) {
        let (row, column) = storev.stored(i, j);
        panel.put(row, column, square[i - offset + j * order]);
    }
    panel
}

/// Reflectors as a factorization leaves them, and what is not theirs NaN.
pub(super) struct Factored<T> {
    pub(super) v: Guarded<T>,
    pub(super) tau: Guarded<T>,
    pub(super) t: Guarded<T>,
}

/// The first `k` reflectors of a panel of `m x n`, whose first has its one in row `offset`.
pub(super) fn factored<T: Scalar>(
    storev: Storev,
    (m, n, k): (usize, usize, usize),
    offset: usize,
    draw: &mut Draw,
) -> Factored<T> {
    let geqrt = Geqrt { storev, m, n: k, offset, scalar: PhantomData };
    let narrow = {
        let mut panel = panel(geqrt, draw);
        let (mut tau, mut t) = (Guarded::nan(k, 1), Guarded::nan(k, k));
        geqrt.reference(panel.write(), tau.write(), t.write());
        t.keep(|i, j| i <= j);
        (panel, tau, t)
    };
    let (rows, cols) = storev.stored(m, n);
    let mut v = Guarded::nan(rows, cols);
    for (i, j) in (0..k).flat_map(|j| (offset + j + 1..m).map(move |i| (i, j))) {
        let (row, column) = storev.stored(i, j);
        v.put(row, column, narrow.0.read().at(row, column));
    }
    Factored { v, tau: narrow.1, t: narrow.2 }
}
