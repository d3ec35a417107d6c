//! Tiled factorisation of symmetric and Hermitian matrices without pivoting, `A = L D L'` or
//! `A = L D L^H`, and the solves with it.
//!
//! Right-looking, as Golub, Van Loan, "Matrix computations", 4th edition, 4.1.2, by blocks. For
//! matrices that need no pivoting: definite and diagonally dominant ones.

use std::marker::PhantomData;

use tegula_kernels::kernel::diagonal_solve::DiagonalSolve;
use tegula_kernels::kernel::ldlt::Ldlt;
use tegula_kernels::kernel::ldlt_split::LdltSplit;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::product::Packing;
use crate::tasks::{self, TriangularTile};
use crate::trsm::{Triangle, trsm};
use crate::view::{Tile, View};

/// Submits the factorisation of `a`, of which the triangle `uplo` is read and overwritten by `D` on
/// the diagonal and the unit triangle `L`, or `U` with `A = U' D U` (`U^H D U`).
///
/// Fails with `SingularPivot` and the index of a pivot that is zero or not finite. Keeps a copy of
/// one column of tiles for every step under way.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn sytrf<T: Scalar>(flow: &mut Flow, (form, uplo): (Form, Uplo), a: &TileMatrix<T>) {
    // Of the upper triangle, the transposed view: the factors in it are the transposed ones.
    let a = if uplo == Uplo::Lower { View::from(a) } else { View::from(a).transposed() };
    a.check_square();
    let nt = a.nt();
    for k in 0..nt {
        flow.iteration(k);
        let priority = |less: usize| 3 * (nt - k) as i32 - less as i32;
        let pivots = a.tile(k, k);
        let (n, offset, scalar) = (pivots.rows, k * a.nb(), PhantomData::<T>);
        flow.submit(Ldlt { form, uplo, n, offset, scalar }, &[(pivots.handle, RW)], priority(0));
        let mut packing = Packing::<T>::new(flow, (nt - 1 - k, nt - 1 - k));
        let mut scaled = Vec::new();
        for i in k + 1..nt {
            let tile = a.tile(i, k);
            // From the left: L(k, k) X' = A(i, k)', or with the conjugate of L.
            let unit = if form == Form::Hermitian { pivots.conjugated() } else { pivots };
            let corner = TriangularTile { tile: unit, uplo: Uplo::Lower, diag: Diag::Unit };
            tasks::trsm(flow, corner, T::ONE, tile.transposed(), priority(i - k));
            let (m, n) = (tile.rows, tile.columns);
            let handle = flow.register(m * n * size_of::<T>());
            let split = LdltSplit { is_transposed: a.is_transposed(), m, n, scalar };
            let accesses = [(pivots.handle, R), (tile.handle, RW), (handle, W)];
            flow.submit(split, &accesses, priority(i - k));
            scaled.push(Tile { handle, ..tile });
        }
        let factors = (-T::ONE, T::ONE);
        let mut left = Vec::new();
        for (i, w) in (k + 1..nt).zip(&scaled) {
            let tile = a.tile(i, k);
            let pair = (tile, w.op(form.mirror()));
            tasks::gemmt(flow, factors, pair, a.tile(i, i), priority(2 * (i - k)));
            left.push(packing.left(flow, tile, Structure::General, priority(i - k)));
        }
        for (j, w) in (k + 1..nt).zip(&scaled) {
            let right = packing.right(flow, w.op(form.mirror()), priority(j - k));
            for i in j + 1..nt {
                let pair = (left[i - k - 1], right);
                let priority = priority((j - k) + (i - k));
                packing.multiply(flow, factors, pair, a.tile(i, j), priority);
            }
        }
        packing.retire(flow);
        scaled.iter().for_each(|w| flow.retire(w.handle));
    }
}

/// Submits the solves with the factors that [`sytrf`] left: `b` is overwritten by `A^-1 B`.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn sytrs<T: Scalar>(
    flow: &mut Flow,
    (form, uplo): (Form, Uplo),
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
) {
    let l = View::of_triangle(a, form, uplo);
    let solve = |flow: &mut Flow, trans| {
        let triangle = Triangle { side: Side::Left, uplo: Uplo::Lower, trans, diag: Diag::Unit };
        trsm(flow, triangle, T::ONE, l, b);
    };
    solve(flow, Trans::No);
    for (i, j) in (0..b.nt()).flat_map(|j| (0..b.mt()).map(move |i| (i, j))) {
        let (m, n, scalar) = (b.tile_rows(i), b.tile_columns(j), PhantomData::<T>);
        let pivots = (a.tile(i, i), R);
        flow.submit(DiagonalSolve { m, n, scalar }, &[pivots, (b.tile(i, j), RW)], 0);
    }
    solve(flow, form.mirror());
}

/// Submits the factorisation of `a` by [`sytrf`] and the solves of [`sytrs`].
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn sysv<T: Scalar>(flow: &mut Flow, form: (Form, Uplo), a: &TileMatrix<T>, b: &TileMatrix<T>) {
    sytrf(flow, form, a);
    sytrs(flow, form, a, b);
}
