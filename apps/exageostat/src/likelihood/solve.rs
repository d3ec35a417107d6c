//! Forward substitution `Z = L^-1 Z` that leaves the tiles of `L` where they are.
//!
//! Algorithm 9 of Leandro Nesi's thesis: each tile of `L` adds its update to a vector beside the
//! right-hand side, where the tile lives; the sums are taken off the right-hand side once per row.

use tegula_kernels::kernel::{geadd::Geadd, gemm::Gemm, gemv::Gemv, trsm::Trsm, trsv::Trsv};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{R, RW, Reduce};
use tegula_runtime::flow::{Access, Flow, Handle};
use tegula_tiles::TileMatrix;

/// Submits the substitution for the panel `z`, a vector or some side by side.
///
/// With `updates`, zero at the start and shaped as `z`, products are added up there; without, they
/// are taken off `z` one by one. Priorities are those of the critical path, or 0.
pub(crate) fn solve<T: Real>(
    flow: &mut Flow,
    l: &TileMatrix<T>,
    z: &TileMatrix<T>,
    updates: Option<&TileMatrix<T>>,
    priorities: bool,
) {
    let nt = l.nt();
    let priority = |k: usize, less: usize| {
        if priorities { 2 * (nt - k) as i32 - less as i32 } else { 0 }
    };
    // Over ranks each tile's update is added up where the tile lives, and the sums of ranks are
    // folded.
    let mode = if updates.is_some() && flow.ranks() > 1 { Reduce } else { RW };
    for k in 0..nt {
        divide(flow, l.tile(k, k), z, k, priority(k, 0));
        let (alpha, target) = updates.map_or((-T::ONE, z), |updates| (T::ONE, updates));
        for i in k + 1..nt {
            let (tile, columns) = (l.tile(i, k), l.tile_columns(k));
            let target = (target, i, mode);
            update(flow, tile, alpha, columns, (z, k), target, priority(k, i));
        }
        if let Some(updates) = updates.filter(|_| k + 1 < nt) {
            let (m, n) = (z.tile_rows(k + 1), z.n());
            let add = Geadd { trans: Trans::No, m, n, alpha: -T::ONE, beta: T::ONE };
            let accesses = [(updates.tile(k + 1, 0), R), (z.tile(k + 1, 0), RW)];
            flow.submit(add, &accesses, priority(k, 0));
        }
    }
}

/// `Z_k = L_kk^-1 Z_k`.
fn divide<T: Real>(flow: &mut Flow, l: Handle, z: &TileMatrix<T>, k: usize, priority: i32) {
    let (m, n) = (z.tile_rows(k), z.n());
    let accesses = [(l, R), (z.tile(k, 0), RW)];
    let (uplo, trans, diag) = (Uplo::Lower, Trans::No, Diag::NonUnit);
    if n == 1 {
        flow.submit(Trsv::<T>::new(uplo, trans, diag, m), &accesses, priority);
    } else {
        let solve = Trsm { side: Side::Left, uplo, trans, diag, m, n, ld: m, alpha: T::ONE };
        flow.submit(solve, &accesses, priority);
    }
}

/// `Y_i += alpha L_ik Z_k`, where `L_ik` has `columns` columns.
fn update<T: Real>(
    flow: &mut Flow,
    l: Handle,
    alpha: T,
    columns: usize,
    (z, k): (&TileMatrix<T>, usize),
    (y, i, mode): (&TileMatrix<T>, usize, Access),
    priority: i32,
) {
    let (m, n) = (y.tile_rows(i), y.n());
    let accesses = [(l, R), (z.tile(k, 0), R), (y.tile(i, 0), mode)];
    let trans = Trans::No;
    if n == 1 {
        flow.submit(Gemv { trans, m, n: columns, alpha, beta: T::ONE }, &accesses, priority);
    } else {
        let (trans_a, trans_b) = (trans, trans);
        let product = Gemm { trans_a, trans_b, m, n, k: columns, alpha, beta: T::ONE };
        flow.submit(product, &accesses, priority);
    }
}
