//! The tile size that fits a problem and a machine.

/// Order of the tiles for a factorisation of order `n` on `workers` workers.
///
/// Large tiles keep the kernels near their peak, small ones keep all workers busy and the tasks
/// outside the critical path many. Measured with `tegula linalg potrf --tile-size`; the table is
/// in `scripts/bench/RESULTS.md`.
#[must_use]
pub fn tile_size(n: usize, workers: usize) -> usize {
    // About this many tiles along an edge give every worker enough to do.
    let edge = (6.0 * (workers as f64).sqrt()).ceil() as usize;
    let size = n.div_ceil(edge.max(1)).clamp(64, 512);
    size.next_multiple_of(32)
}
