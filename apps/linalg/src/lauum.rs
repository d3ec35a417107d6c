//! Tiled product of a triangular matrix with its conjugate transpose, in place, and the inverses
//! that it completes.
//!
//! As in Agullo, Bouwmeester, Dongarra, Kurzak, Langou, Rosenberg, "Towards an efficient tile
//! matrix inversion of symmetric positive definite matrices on multicore architectures",
//! VECPAR 2010.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Form, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::potrf::potrf;
use crate::product::Packing;
use crate::tasks::{self, TriangularTile};
use crate::trtri::trtri;
use crate::view::View;

/// Submits the product `L^H L` with the lower triangle `L` of `a`, of which it overwrites the lower
/// triangle (xLAUUM). For the upper triangle `U` and `U U^H`, the
/// [adjoint view](View::of_triangle).
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn lauum<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>) {
    let a = a.into();
    a.check_square();
    let nt = a.nt();
    for k in 0..nt {
        flow.iteration(k);
        let mut packing = Packing::<T>::new(flow, (k, k));
        let mut row = Vec::new();
        for j in 0..k {
            // Of both factors the same is packed: tile (k, j), transposed.
            let tile = a.tile(k, j).transposed().conjugated();
            row.push(packing.left(flow, tile, Structure::General, 0));
            let factors = (T::ONE, T::ONE);
            packing.square(flow, Form::Hermitian, factors, row[j], a.tile(j, j), 0);
            for (i, &left) in row.iter().enumerate().take(j) {
                let right = Packing::<T>::mirror(left, Form::Hermitian);
                packing.multiply(flow, factors, (row[j], right), a.tile(j, i), 0);
            }
        }
        let corner = TriangularTile { tile: a.tile(k, k), uplo: Uplo::Lower, diag: Diag::NonUnit };
        let tile = corner.tile.transposed().conjugated();
        for j in 0..k {
            let adjoint = TriangularTile { tile, uplo: Uplo::Upper, ..corner };
            tasks::trmm(flow, adjoint, T::ONE, a.tile(k, j), 0);
        }
        tasks::lauum::<T>(flow, corner.tile, 0);
        packing.retire(flow);
    }
}

/// Submits the inversion of a matrix from its Cholesky factor `l`, which
/// [`potrf`](crate::potrf) left: the lower triangle becomes that of `A^-1` (xPOTRI).
///
/// Fails with `SingularTriangle` if the factor has a zero on its diagonal.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn potri<'a, T: Scalar>(flow: &mut Flow, l: impl Into<View<'a, T>>) {
    let l = l.into();
    trtri(flow, Uplo::Lower, Diag::NonUnit, l);
    lauum(flow, l);
}

/// Submits the inversion of the Hermitian positive definite matrix `a`, of which the lower triangle
/// is read and overwritten: factorisation, inversion and product overlap.
///
/// Fails with `NotPositiveDefinite` and the order of the leading minor that is not.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn poinv<'a, T: Scalar>(flow: &mut Flow, a: impl Into<View<'a, T>>) {
    let a = a.into();
    potrf(flow, a);
    potri(flow, a);
}
