//! Tiled LU factorisation without pivoting: `A = L U`, `L` unit lower triangular, in place.
//!
//! Right-looking, as in Golub, Van Loan, "Matrix computations", 4th edition, section 3.2.11. Only
//! for matrices that need no pivoting, such as diagonally dominant ones.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::kernel::{getrf_nopiv::GetrfNopiv, trsm::Trsm};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::{Storage, TileMatrix};

use crate::product::Packing;
use crate::view::View;

/// Submits the factorisation of `a` (`m x n`), overwritten by `L` below and `U` on and above the
/// diagonal.
///
/// Fails with `SingularPivot` and the index of a pivot that is zero or not a number.
///
/// # Panics
/// If the matrix is stored as a triangle or its tiles are not square.
pub fn getrf_nopiv<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) {
    assert!(a.storage() == Storage::Full, "LU needs the whole matrix, not a triangle");
    assert!(a.mb() == a.nb(), "tiles of {} x {} are not square", a.mb(), a.nb());
    let (view, mt, nt) = (View::from(a), a.mt(), a.nt());
    let steps = mt.min(nt);
    let priority = |k: usize, less: usize| 3 * (steps - k) as i32 - less as i32;
    let solve = |side, uplo, diag, m, n, ld| Trsm {
        side,
        uplo,
        trans: Trans::No,
        diag,
        m,
        n,
        ld,
        alpha: T::ONE,
    };
    for k in 0..steps {
        flow.iteration(k);
        let (rows, columns) = (a.tile_rows(k), a.tile_columns(k));
        let order = rows.min(columns);
        flow.submit(
            GetrfNopiv::<T>::new(rows, columns, k * a.nb()),
            &[(a.tile(k, k), RW)],
            priority(k, 0),
        );
        for j in k + 1..nt {
            flow.submit(
                solve(Side::Left, Uplo::Lower, Diag::Unit, order, a.tile_columns(j), rows),
                &[(a.tile(k, k), R), (a.tile(k, j), RW)],
                priority(k, j - k),
            );
        }
        for i in k + 1..mt {
            flow.submit(
                solve(Side::Right, Uplo::Upper, Diag::NonUnit, a.tile_rows(i), order, rows),
                &[(a.tile(k, k), R), (a.tile(i, k), RW)],
                priority(k, i - k),
            );
        }
        let mut packing = Packing::<T>::new(flow, (mt - 1 - k, nt - 1 - k));
        let mut left = Vec::new();
        for i in k + 1..mt {
            let tile = view.tile(i, k);
            left.push(packing.left(flow, tile, Structure::General, priority(k, i - k)));
        }
        for j in k + 1..nt {
            let right = packing.right(flow, view.tile(k, j), priority(k, j - k));
            for i in k + 1..mt {
                let (pair, priority) = ((left[i - k - 1], right), priority(k, (i - k) + (j - k)));
                packing.multiply(flow, (-T::ONE, T::ONE), pair, view.tile(i, j), priority);
            }
        }
        packing.retire(flow);
    }
}
