//! The QR factorisation of a small matrix: LAPACK's `geqrf`.

use super::{Matrix, TOGETHER};
use crate::backend::Blas;
use crate::householder::{Block, apply, factor, room_to_apply, room_to_factor};
use crate::option::Trans;
use crate::scalar::Real;
use crate::tile::TileMut;
use crate::workspace::{carve, with_room};

/// Overwrites `a` (`m x n`, `m >= n`) by `R` on and above the diagonal and reflectors below it;
/// returns their factors.
pub(super) fn factorise<R: Real>(blas: &dyn Blas<R>, a: &mut Matrix<R>) -> Vec<R> {
    let (m, n) = (a.rows(), a.cols());
    let mut tau = vec![R::ZERO; n];
    for first in (0..n).step_by(TOGETHER) {
        let (rows, count, others) = (m - first, TOGETHER.min(n - first), n - first);
        let room = room_to_factor(rows, count).max(room_to_apply(count, others));
        let mut tau = TileMut::new(&mut tau[first..][..count], count, 1);
        with_room(count * count + room, |mut room| {
            let mut t = carve(&mut room, count, count);
            let part = a.view_mut().part(first, first, rows, others);
            let (mut panel, right) = part.split_cols(count);
            factor(blas, panel.reborrow(), tau.reborrow(), t.reborrow(), room);
            let block = Block { v: panel.as_ref(), t: t.as_ref() };
            apply(blas, block, Trans::Conj, right, room);
        });
    }
    tau
}
