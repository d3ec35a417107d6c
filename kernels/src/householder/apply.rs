//! A block of reflectors times a matrix: LAPACK's `larfb`, as products.

use super::{Block, copy_top};
use crate::backend::Blas;
use crate::option::{Diag, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;
use crate::workspace::carve;

/// Elements of room to apply `k` reflectors to `n` columns.
pub(crate) fn room_to_apply(k: usize, n: usize) -> usize {
    k * (k + n)
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
    let mut top = carve(&mut room, k, k);
    copy_top(block.v, &mut top);
    let (top, rest) = (top.as_ref(), block.v.part(k, 0, m - k, k));
    let mut w = carve(&mut room, k, n);
    let (mut c1, mut c2) = c.split_rows(k);
    blas.gemm(T::ONE, top.adjoint(), c1.as_ref(), T::ZERO, w.reborrow());
    blas.gemm(T::ONE, rest.adjoint(), c2.as_ref(), T::ONE, w.reborrow());
    blas.trmm(Triangle::new(block.t, Uplo::Upper, Diag::NonUnit).op(trans), w.reborrow());
    blas.gemm(-T::ONE, top, w.as_ref(), T::ONE, c1.reborrow());
    blas.gemm(-T::ONE, rest, w.as_ref(), T::ONE, c2.reborrow());
}
