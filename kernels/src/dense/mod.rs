//! Small dense matrices on the calling thread: what LAPACK does in one call, without tiles or
//! tasks.
//!
//! For the projected problems of iterations on panels, of orders from one to some thousands. Large
//! matrices, and complex ones, are for the tiled algorithms of the crate `tegula-linalg`.

mod bidiagonalise;
mod gesvd;
mod matrix;
mod qr;
mod syev;

pub use gesvd::{Svd, gesvd};
pub use matrix::{Matrix, product};
pub use syev::{Eigen, syev};

use crate::backend::Blas;
use crate::error::NumericalError;
use crate::householder::{Block, apply, room_for_triangle, room_to_apply, triangle};
use crate::option::Trans;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};
use crate::workspace::{carve, with_room};

/// The factor that brings a matrix of this norm to where squares neither overflow nor underflow: as
/// LAPACK's `syev` and `gesvd` have it.
pub fn scale_of<R: Real>(norm: R) -> R {
    let least = (R::MIN_POSITIVE / R::EPSILON).sqrt();
    let most = R::ONE / least;
    match norm {
        norm if norm > R::ZERO && norm < least => least / norm,
        norm if norm > most => most / norm,
        _ => R::ONE,
    }
}

/// The modulus of the largest of some entries of a matrix with an order of `order`.
///
/// # Errors
/// [`NumericalError::NoConvergence`] if one is not finite.
fn largest<R: Real>(
    order: usize,
    mut entries: impl Iterator<Item = R>,
) -> Result<R, NumericalError> {
    let larger = |norm: R, x: R| {
        let size = x.abs();
        size.is_finite().then_some(if size > norm { size } else { norm })
    };
    entries.try_fold(R::ZERO, larger).ok_or(NumericalError::NoConvergence { order })
}

/// Reflectors that are applied together.
const TOGETHER: usize = 64;

/// `C = Q C` with `Q = H(1) ... H(k)` of the reflectors below the diagonal of `v` and their
/// factors.
fn multiply<R: Real>(blas: &dyn Blas<R>, v: TileRef<'_, R>, tau: &[R], mut c: TileMut<'_, R>) {
    let (m, n) = (v.rows(), c.cols());
    for first in (0..tau.len()).step_by(TOGETHER).rev() {
        let (count, rows) = (TOGETHER.min(tau.len() - first), m - first);
        let v = v.part(first, first, rows, count);
        let tau = TileRef::new(&tau[first..][..count], count, 1);
        let room = room_for_triangle(count).max(room_to_apply(count, n));
        with_room(count * count + room, |mut room| {
            let mut t = carve(&mut room, count, count);
            triangle(blas, v, tau, t.reborrow(), room);
            let block = Block { v, t: t.as_ref() };
            apply(blas, block, Trans::No, c.reborrow().part(first, 0, rows, n), room);
        });
    }
}
