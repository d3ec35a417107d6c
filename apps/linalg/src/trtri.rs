//! Tiled inverse of a triangular matrix, in place.
//!
//! The variant of Agullo, Bouwmeester, Dongarra, Kurzak, Langou, Rosenberg, "Towards an efficient
//! tile matrix inversion of symmetric positive definite matrices on multicore architectures",
//! VECPAR 2010, section 2: step `k` leaves the inverse of the leading `k + 1` rows of tiles.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::product::Packing;
use crate::tasks::{self, TriangularTile};
use crate::view::View;

/// Submits the inversion of the triangle `uplo` of `a`, in place; the rest, and a unit diagonal, is
/// neither read nor written (xTRTRI).
///
/// Fails with `SingularTriangle` and the index of the first zero on the diagonal; other entries of
/// the triangle are then overwritten, unlike LAPACK's. [`check_diagonal`](crate::check_diagonal)
/// looks before.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn trtri<'a, T: Scalar>(flow: &mut Flow, uplo: Uplo, diag: Diag, a: impl Into<View<'a, T>>) {
    let a = a.into();
    a.check_square();
    let a = if uplo == Uplo::Lower { a } else { a.transposed() };
    let nt = a.nt();
    for k in 0..nt {
        flow.iteration(k);
        let priority = |less: usize| 3 * (nt - k) as i32 - less as i32;
        let corner = TriangularTile { tile: a.tile(k, k), uplo: Uplo::Lower, diag };
        let mut packing = Packing::<T>::new(flow, (nt - 1 - k, k));
        let mut right = Vec::new();
        for j in 0..k {
            right.push(packing.right(flow, a.tile(k, j), priority(0)));
        }
        for i in k + 1..nt {
            // From the left: A(k, k)' X' = -A(i, k)'.
            let turned = TriangularTile { tile: corner.tile.transposed(), uplo: Uplo::Upper, diag };
            tasks::trsm(flow, turned, -T::ONE, a.tile(i, k).transposed(), priority(0));
            let left = packing.left(flow, a.tile(i, k), Structure::General, priority(0));
            for (j, &right) in right.iter().enumerate() {
                let factors = (T::ONE, T::ONE);
                packing.multiply(flow, factors, (left, right), a.tile(i, j), priority(i - k));
            }
        }
        for j in 0..k {
            tasks::trsm(flow, corner, T::ONE, a.tile(k, j), priority(1));
        }
        tasks::trtri::<T>(flow, corner, k * a.nb(), priority(1));
        packing.retire(flow);
    }
}
