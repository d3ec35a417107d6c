//! Tiled triangular solve: `B = alpha op(T)^-1 B` or `B = alpha B op(T)^-1`.

use tegula_data::matrix::TileMatrix;
use tegula_kernels::kernel::{gemm::Gemm, trsm::Trsm};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, Handle};

/// How a triangle enters a solve.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// On which side of the unknowns it stands.
    pub side: Side,
    /// Which triangle holds the entries.
    pub uplo: Uplo,
    /// Whether it enters transposed.
    pub trans: Trans,
    /// Whether its diagonal is taken to be one.
    pub diag: Diag,
}

/// Submits the solve with the triangle `t` for all right-hand sides `b`, in place.
///
/// From the left, row `k` of tiles is solved and taken out of the rows that depend on it, top
/// down if `op(T)` is lower triangular and bottom up if it is upper; from the right the same with
/// columns, the other way round.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn trsm<T: Scalar>(
    flow: &mut Flow,
    triangle: Triangle,
    alpha: T,
    t: &TileMatrix<T>,
    b: &TileMatrix<T>,
) {
    let Triangle { side, uplo, trans, diag } = triangle;
    let (size, block) = if side == Side::Left { (b.m(), b.mb()) } else { (b.n(), b.nb()) };
    assert!((t.m(), t.n()) == (size, size), "a {} x {} triangle against {size}", t.m(), t.n());
    assert!((t.mb(), t.nb()) == (block, block), "tiles of {} x {} against {block}", t.mb(), t.nb());
    let steps = t.nt();
    let is_lower = (uplo == Uplo::Lower) == (trans == Trans::No);
    let ascends = is_lower == (side == Side::Left);
    let place = |step: usize| if ascends { step } else { steps - 1 - step };
    for step in 0..steps {
        flow.iteration(step);
        let k = place(step);
        let priority = 2 * (steps - step) as i32;
        let first = if step == 0 { alpha } else { T::ONE };
        let lines = if side == Side::Left { b.nt() } else { b.mt() };
        for line in 0..lines {
            let (m, n, tile) = unknown(b, side, k, line);
            let solve = Trsm { side, uplo, trans, diag, m, n, ld: t.tile_rows(k), alpha: first };
            flow.submit(solve, &[(t.tile(k, k), R), (tile, RW)], priority);
        }
        for later in step + 1..steps {
            let i = place(later);
            // The block of op(T) that ties unknown i to unknown k.
            let (row, column) = if side == Side::Left { (i, k) } else { (k, i) };
            let tie = if trans == Trans::No { t.tile(row, column) } else { t.tile(column, row) };
            for line in 0..lines {
                let (m, n, target) = unknown(b, side, i, line);
                let (rows, columns, solved) = unknown(b, side, k, line);
                let update = |trans_a, trans_b, k| Gemm {
                    trans_a,
                    trans_b,
                    m,
                    n,
                    k,
                    alpha: -T::ONE,
                    beta: first,
                };
                let priority = priority - (later - step) as i32;
                match side {
                    Side::Left => flow.submit(
                        update(trans, Trans::No, rows),
                        &[(tie, R), (solved, R), (target, RW)],
                        priority,
                    ),
                    Side::Right => flow.submit(
                        update(Trans::No, trans, columns),
                        &[(solved, R), (tie, R), (target, RW)],
                        priority,
                    ),
                }
            }
        }
    }
}

/// Rows, columns and handle of the tile of `b` at position `k` along the solve.
fn unknown<T: Scalar>(
    b: &TileMatrix<T>,
    side: Side,
    k: usize,
    line: usize,
) -> (usize, usize, Handle) {
    let (i, j) = if side == Side::Left { (k, line) } else { (line, k) };
    (b.tile_rows(i), b.tile_columns(j), b.tile(i, j))
}
