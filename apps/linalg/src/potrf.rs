//! Tiled Cholesky factorisation: `A = L L'` of a symmetric positive definite matrix, in place.
//!
//! Right-looking, as in Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled linear
//! algebra algorithms for multicore architectures", Parallel Computing 35 (2009), algorithm 1.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::RW;
use tegula_runtime::flow::Flow;

use crate::panels::Panels;

/// Submits the factorisation of `a`, of which the lower triangle is read and overwritten by `L`.
///
/// Fails with `NotPositiveDefinite` and the order of the leading minor that is not.
///
/// Priorities are those of Nesi, Legrand, Schnorr, "Exploiting system level heterogeneity to
/// improve the performance of a GeoStatistics multi-phase task-based application", ICPP 2021: the
/// length of the critical path that is left, at unit cost.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn potrf<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) {
    assert!(
        a.m() == a.n() && a.mb() == a.nb(),
        "{} x {} in {} x {} tiles",
        a.m(),
        a.n(),
        a.mb(),
        a.nb()
    );
    debug_assert!(matches!(a.storage(), Storage::Lower | Storage::Full));
    let nt = a.nt();
    let priority = |k: usize, less: usize| 3 * (nt - k) as i32 - less as i32;
    let panels = Panels::new(flow, a);
    for k in 0..nt {
        flow.iteration(k);
        let (n, first) = (a.tile_rows(k), k * a.nb());
        flow.submit(Potrf::<T>::new(Uplo::Lower, n, first), &[(a.tile(k, k), RW)], priority(k, 0));
        let column = panels.column(a, k);
        for i in k + 1..nt {
            column.trsm(flow, i, priority(k, i - k));
        }
        for j in k + 1..nt {
            column.syrk(flow, j, priority(k, 2 * (j - k)));
            for i in j + 1..nt {
                column.gemm(flow, (i, j), priority(k, (j - k) + (i - k)));
            }
        }
    }
    panels.retire(flow);
}
