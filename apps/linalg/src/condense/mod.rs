//! What eigenvalue and singular value decompositions in two stages share: to a band on tiles, then from
//! the band to a matrix whose problem one thread solves, and the way back of the vectors.

mod back;
mod panel;

pub(crate) use back::Back;
pub(crate) use panel::{Panel, columns_beside, copy, rows_beside, tile};

use tegula_kernels::scalar::Real;
use tegula_kernels::tridiagonal::Waves;

/// The factor that brings a matrix of this norm to where squares neither overflow nor underflow.
pub(crate) fn scale_of<R: Real>(norm: R) -> R {
    let least = (R::MIN_POSITIVE / R::EPSILON).sqrt();
    let most = R::ONE / least;
    match norm {
        norm if norm > R::ZERO && norm < least => least / norm,
        norm if norm > most => most / norm,
        _ => R::ONE,
    }
}

/// How the chase of the band of a matrix of order `n` in tiles of `nb` gathers its reflectors.
pub(crate) fn waves(n: usize, nb: usize) -> Waves {
    let width = nb.min(n.saturating_sub(1)).max(1);
    Waves { n, width, group: (width / 2).max(1) }
}

/// Columns of the blocks of `n` vectors: wide enough for products, and some for each worker.
pub(crate) fn block_columns(n: usize, workers: usize) -> usize {
    n.div_ceil(2 * workers.max(1)).clamp(32, 256)
}
