//! What eigenvalue and singular value decompositions in two stages share: to a band on tiles, then
//! from the band to a matrix whose problem one thread solves, and the way back of the vectors.

mod back;
mod panel;

pub(crate) use back::Back;
pub(crate) use panel::{Panel, columns_beside, copy, rows_beside, tile};

use tegula_kernels::scalar::Scalar;
use tegula_kernels::tridiagonal::Waves;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::redistribute;

/// How the chase of the band of a matrix of order `n` in tiles of `nb` gathers its reflectors.
pub(crate) fn waves(n: usize, nb: usize) -> Waves {
    let width = nb.min(n.saturating_sub(1)).max(1);
    // As many sweeps as are best multiplied out.
    Waves { n, width, group: width }
}

/// Widest tiles that make a band: the chase takes time in proportion.
const WIDEST: usize = 64;
/// Width of the band of a matrix in wider ones.
///
/// Measured on two cores at n = 2000 in `f64`, widths of 32, 48, 64, 96 and 128: eigenvalues .38,
/// .37, .38, .45 and .51 s, singular values .57, .51, .55, .66 and .75 s, with vectors 1.73, 1.63,
/// 1.67, 1.75 and 1.85 s; eigenvalues at n = 4000, widths of 48, 64 and 96: 1.81, 1.87 and 2.12 s.
const WIDTH: usize = 48;

/// The matrix itself, or, where its square tiles are too wide for a band, one in smaller tiles in
/// place of it.
pub(crate) fn narrowed<T: Scalar>(flow: &mut Flow, a: TileMatrix<T>) -> TileMatrix<T> {
    if a.nb() <= WIDEST {
        return a;
    }
    let narrow = TileMatrix::new(flow, (a.m(), a.n()), (WIDTH, WIDTH), a.storage());
    redistribute(flow, &a, &narrow);
    a.retire(flow);
    narrow
}

/// Columns of the blocks of `n` vectors: wide enough for products, and some for each worker.
pub(crate) fn block_columns(n: usize, workers: usize) -> usize {
    n.div_ceil(2 * workers.max(1)).clamp(32, 256)
}
