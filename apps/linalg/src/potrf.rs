//! Tiled Cholesky factorisation: `A = L L'` of a symmetric positive definite matrix, in place.
//!
//! Right-looking, as in Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled linear
//! algebra algorithms for multicore architectures", Parallel Computing 35 (2009), algorithm 1.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::kernel::{gemm::Gemm, potrf::Potrf, syrk::Syrk, trsm::Trsm};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;

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
    for k in 0..nt {
        let n = a.tile_rows(k);
        flow.submit(
            Potrf::<T>::new(Uplo::Lower, n, k * a.nb()),
            &[(a.tile(k, k), RW)],
            priority(k, 0),
        );
        for i in k + 1..nt {
            flow.submit(
                Trsm {
                    side: Side::Right,
                    uplo: Uplo::Lower,
                    trans: Trans::Yes,
                    diag: Diag::NonUnit,
                    m: a.tile_rows(i),
                    n,
                    ld: n,
                    alpha: T::ONE,
                },
                &[(a.tile(k, k), R), (a.tile(i, k), RW)],
                priority(k, i - k),
            );
        }
        for j in k + 1..nt {
            flow.submit(
                Syrk {
                    uplo: Uplo::Lower,
                    trans: Trans::No,
                    n: a.tile_rows(j),
                    k: n,
                    alpha: -T::ONE,
                    beta: T::ONE,
                },
                &[(a.tile(j, k), R), (a.tile(j, j), RW)],
                priority(k, 2 * (j - k)),
            );
            for i in j + 1..nt {
                flow.submit(
                    Gemm {
                        trans_a: Trans::No,
                        trans_b: Trans::Yes,
                        m: a.tile_rows(i),
                        n: a.tile_rows(j),
                        k: n,
                        alpha: -T::ONE,
                        beta: T::ONE,
                    },
                    &[(a.tile(i, k), R), (a.tile(j, k), R), (a.tile(i, j), RW)],
                    priority(k, (j - k) + (i - k)),
                );
            }
        }
    }
}
