//! A computation as far as machine and tiles depend on it.

use anyhow::Result;
use tegula_kernels::scalar::Precision;
use tegula_linalg::program::Footprint;
use tegula_plan::distribution::Powers;
use tegula_tiles::{Storage, TileGrid};

use crate::plan::Reading;

/// A computation, as far as machine and tiles depend on it.
pub(crate) struct Work<'a> {
    /// The size that the order of the tiles need not exceed.
    pub(crate) order: usize,
    /// The order of the tiles for so many workers, unless another is asked for.
    pub(crate) tile_size: &'a dyn Fn(usize) -> usize,
    /// The order of the tiles where CUDA devices compute, if that is another.
    pub(crate) device_tile_size: Option<usize>,
    /// Names of its codelets; not to be asked for before the backend is chosen.
    pub(crate) codelets: &'a dyn Fn() -> Vec<&'static str>,
    /// Which tiles of its largest matrix there are.
    pub(crate) storage: Storage,
    /// The program that is planned where the distribution over ranks is, if its matrices are those
    /// of one.
    pub(crate) program: Option<Program<'a>>,
    /// What it asks for, given the order of the tiles and the number of workers.
    pub(crate) footprint: &'a dyn Fn(usize, usize) -> Footprint,
}

/// Operations a second of a core, by a rough guess.
const CORE_FLOPS: f64 = 2e10;

impl Work<'_> {
    /// How long it takes on tiles of order `nb`, by a rough guess, over ranks that have the cores
    /// that `powers` say.
    pub(crate) fn seconds(&self, nb: usize, powers: &Powers) -> f64 {
        let flops = match self.program {
            Some(Program::OfPasses(Passes { count, width, .. })) => {
                2.0 * (count * width) as f64 * (self.order as f64).powi(2)
            }
            _ => 2.0 * (nb as f64).powi(3) * (self.footprint)(nb, 1).tasks,
        };
        flops / (CORE_FLOPS * 1e-3 * powers.as_slice().iter().sum::<f64>())
    }
}

/// A program whose distribution over ranks can be planned.
#[derive(Clone, Copy)]
pub(crate) enum Program<'a> {
    /// The one of this name, on as many tiles along an edge as the order has.
    OfTiles(&'a str),
    /// Passes over a matrix of distances.
    OfPasses(Passes<'a>),
}

/// Passes over a matrix that is read tile by tile.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'a> {
    /// How many there are.
    pub(crate) count: usize,
    /// Columns of what the matrix is multiplied with.
    pub(crate) width: usize,
    /// Of the numbers that are stored.
    pub(crate) precision: Precision,
    /// How fast this rank reads tiles of this order with so many workers; all ranks try at once.
    pub(crate) reading: &'a dyn Fn(usize, usize) -> Result<Reading>,
}

/// Tasks of a Cholesky factorisation with `nt` tiles along an edge.
pub(crate) fn potrf_tasks(nt: usize) -> f64 {
    let nt = nt as f64;
    nt * (nt + 1.0) * (nt + 2.0) / 6.0
}

/// Bytes that the largest task of a Cholesky factorisation of `a` works on: `trsm` or `gemm`.
pub(crate) fn potrf_task_bytes(a: &TileGrid) -> u64 {
    (a.tile(0, 0) + a.tile(1, 0)).max(a.tile(1, 0) + a.tile(2, 0) + a.tile(2, 1))
}

/// Bytes that the largest task of a solve with the triangle `l` works on: `trsm` or `gemm`.
pub(crate) fn solve_task_bytes(l: &TileGrid, b: &TileGrid) -> u64 {
    (l.tile(0, 0) + b.tile(0, 0)).max(l.tile(1, 0) + b.tile(0, 0) + b.tile(1, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factorisation_has_as_many_tasks_as_its_loops_submit() {
        for nt in 1..6 {
            let updates = |k: usize| (k + 1..nt).map(|j| nt - j).sum::<usize>();
            let loops: usize = (0..nt).map(|k| nt - k + updates(k)).sum();
            assert_eq!(potrf_tasks(nt), loops as f64);
        }
    }
}
