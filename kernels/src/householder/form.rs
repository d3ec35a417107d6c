//! The first columns of the orthogonal matrix that a block of reflectors is: LAPACK's `org2r`.

use super::copy_rows;
use crate::backend::Blas;
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Rows that are made at a time.
const ROWS: usize = 256;

/// Elements of room to form `n` columns from `k` reflectors.
pub(crate) fn room_to_form(n: usize, k: usize) -> usize {
    k * n + k * ROWS
}

/// Overwrites `a` (`m x n`), whose first `k` columns hold reflectors below their diagonal, by the
/// first `n` columns of `H(1) ... H(k) = I - V T V^H`; `k <= n <= m`.
pub(crate) fn form<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    t: TileRef<'_, T>,
    mut room: &mut [T],
) {
    let (m, n, k) = (a.rows(), a.cols(), t.cols());
    // W = T V^H E: the columns of V^H that meet ones of the identity.
    let mut w = carve(&mut room, k, n);
    copy_rows(a.as_ref().part(0, 0, n, k), 0, &mut w.reborrow().transposed());
    w.apply(T::conj);
    blas.trmm(Triangle::new(t, Uplo::Upper, Diag::NonUnit), w.reborrow());
    for first in (0..m).step_by(ROWS) {
        let rows = ROWS.min(m - first);
        let target = a.reborrow().part(first, 0, rows, n);
        let mut v = TileMut::new(&mut room[..rows * k], rows, k);
        copy_rows(target.as_ref().part(0, 0, rows, k), first, &mut v);
        blas.gemm(-T::ONE, v.as_ref(), w.as_ref(), T::ZERO, target);
    }
    for j in 0..n {
        a.set(j, j, a.at(j, j) + T::ONE);
    }
}
