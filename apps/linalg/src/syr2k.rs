//! Tiled symmetric product of two matrices: a triangle of
//! `C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C`.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::product::{self, Packing};
use crate::tasks;
use crate::view::View;

/// Submits the triangle `uplo` of `C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C` (xSYR2K)
/// or, if `form` is Hermitian, of `C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C`
/// with a real `beta` (xHER2K).
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn syr2k<T: Scalar>(
    flow: &mut Flow,
    (form, uplo, trans): (Form, Uplo, Trans),
    alpha: T,
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
    beta: T,
    c: &TileMatrix<T>,
) {
    let (second, beta) = match form {
        Form::Symmetric => (alpha, beta),
        Form::Hermitian => (alpha.conj(), T::from_real(beta.re())),
    };
    let (a, b) = (View::from(a).op(trans), View::from(b).op(trans));
    let c = View::of_triangle(c, form, uplo);
    c.check_square();
    a.check_like(&b);
    assert!((a.m(), a.mb()) == (c.m(), c.mb()), "{} rows against {}", a.m(), c.m());
    if alpha == T::ZERO || a.nt() == 0 {
        return product::scale_triangle(flow, form, beta, c);
    }
    let mut packing = Packing::<T>::new(flow, (c.mt(), c.nt()));
    for l in 0..a.nt() {
        let beta = if l == 0 { beta } else { T::ONE };
        let mut left = |view: View<'_, T>, i| {
            packing.left(flow, view.tile(i, l), Structure::General, -(l as i32))
        };
        let of_a: Vec<_> = (0..c.mt()).map(|i| left(a, i)).collect();
        let of_b: Vec<_> = (0..c.mt()).map(|i| left(b, i)).collect();
        for j in 0..c.nt() {
            let pair = (a.tile(j, l), b.tile(j, l));
            tasks::syr2k(flow, form, (alpha, beta), pair, c.tile(j, j), 0);
            let mirror = |factor| Packing::<T>::mirror(factor, form);
            for i in j + 1..c.mt() {
                let (first, then) = ((of_a[i], mirror(of_b[j])), (of_b[i], mirror(of_a[j])));
                packing.multiply(flow, (alpha, beta), first, c.tile(i, j), -(l as i32));
                packing.multiply(flow, (second, T::ONE), then, c.tile(i, j), -(l as i32));
            }
        }
        packing.retire(flow);
    }
}
