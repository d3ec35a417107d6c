//! Tiled Cholesky factorisation: `A = L L'` of a symmetric positive definite matrix, in place.
//!
//! Right-looking, as in Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled linear
//! algebra algorithms for multicore architectures", Parallel Computing 35 (2009), algorithm 1.

use std::ops::Range;

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::panels::Panels;
use crate::tasks;
use crate::view::View;

/// Submits the factorisation of the Hermitian matrix `a`, of which the lower triangle is read and
/// overwritten by `L`, `A = L L^H`.
///
/// Of a matrix whose upper triangle is stored, [`View::of_triangle`] makes one whose lower triangle
/// is: `L^H` is then in the upper triangle.
///
/// Fails with `NotPositiveDefinite` and the order of the leading minor that is not.
///
/// Priorities are those of Nesi, Legrand, Schnorr, "Exploiting system level heterogeneity to
/// improve the performance of a GeoStatistics multi-phase task-based application", ICPP 2021: the
/// length of the critical path that is left, at unit cost.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn potrf<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>) {
    let a = a.into();
    potrf_steps(flow, a, 0..a.nt());
}

/// Submits these steps of [`potrf`], one for each column of tiles; those before have been
/// submitted. Between steps all that is needed further on is in `a`.
///
/// # Panics
/// If the matrix or its tiles are not square, or there are no such steps.
pub fn potrf_steps<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>, steps: Range<usize>) {
    let a = a.into();
    a.check_square();
    let nt = a.nt();
    assert!(steps.end <= nt, "steps {steps:?} of {nt}");
    let priority = |k: usize, less: usize| 3 * (nt - k) as i32 - less as i32;
    let panels = Panels::<T>::new(flow, nt, |i| a.tile_rows(i), !a.is_transposed());
    for k in steps {
        flow.iteration(k);
        tasks::potrf::<T>(flow, a.tile(k, k), k * a.nb(), priority(k, 0));
        for i in k + 1..nt {
            let tiles = (a.tile(k, k), a.tile(i, k));
            panels.trsm(flow, (i, k), tiles, priority(k, i - k));
        }
        for j in k + 1..nt {
            let tiles = (a.tile(j, k), a.tile(j, j));
            panels.syrk(flow, (j, k), tiles, priority(k, 2 * (j - k)));
            for i in j + 1..nt {
                let tiles = ([a.tile(i, k), a.tile(j, k)], a.tile(i, j));
                panels.gemm(flow, [i, j, k], tiles, false, priority(k, (j - k) + (i - k)));
            }
        }
        (k..nt).for_each(|i| flow.done_with_copies(a.tile(i, k).handle));
    }
    panels.retire(flow);
}
