//! Tiled solve with a Cholesky factor: `B = A^-1 B`, where `A = L L'`.

use tegula_data::matrix::TileMatrix;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::trsm::{Triangle, trsm};

/// Submits the solves `L Y = B` and `L^H X = Y` with the factor `l` that
/// [`potrf`](crate::potrf) left; `b` is overwritten by `X`.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn potrs<T: Scalar>(flow: &mut Flow, l: &TileMatrix<T>, b: &TileMatrix<T>) {
    for trans in [Trans::No, Trans::Conj] {
        let triangle = Triangle { side: Side::Left, uplo: Uplo::Lower, trans, diag: Diag::NonUnit };
        trsm(flow, triangle, T::ONE, l, b);
    }
}
