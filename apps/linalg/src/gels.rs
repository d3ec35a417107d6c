//! Least squares and minimum norm solutions with a matrix of full rank.

use std::marker::PhantomData;
use std::ops::Range;

use tegula_kernels::kernel::trsm_block::{CheckBlock, TrsmBlock, ZeroRows};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::geqrf::{gelqf_steps, geqrf_along, geqrf_steps};
use crate::{ormlq, ormqr};

/// How the matrix of [`gels`] is cut into blocks: in columns (tiles of `m x nb`) where `m >= n`,
/// else in rows (tiles of `mb x n`).
#[must_use]
pub fn gels_blocks(m: usize, n: usize) -> Storev {
    if m >= n { Storev::Columns } else { Storev::Rows }
}

/// Submits the solution of `op(A) X = B` with `A` (`m x n`) of full rank: in the sense of least
/// squares if it has more rows than columns, else the one of least norm; LAPACK's `gels`.
///
/// `op` is `No` or `Conj`. `a`, in blocks as [`gels_blocks`] says, is overwritten by its QR or LQ
/// factors, and `tau` (`min(m, n) x 1`) by those of its reflectors. `b` has `max(m, n)` rows in
/// block columns: the right-hand sides in the first rows of it, then the solutions, and below a
/// least squares solution the rows whose squares add up to that of its residual.
///
/// Fails with `SingularTriangle` if a diagonal entry of the triangular factor is zero: `A` has not
/// full rank. `A = 0`, for which LAPACK answers with zeros, and norms near the ends of the range,
/// for which it scales, are for the caller.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn gels<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    b: &TileMatrix<T>,
) {
    gels_steps(flow, trans, (a, tau), b, 0..tau.mt());
}

/// Submits these steps of the factorisation in [`gels`] of the matrix `a` with the factors `tau`,
/// one for each tile of these, after those before; with the last, what remains. Between steps all
/// that is needed further on is in `a`, `tau` and `b`.
///
/// # Panics
/// As [`gels`], or if there are no such steps.
pub fn gels_steps<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    (a, tau): (&TileMatrix<T>, &TileMatrix<T>),
    b: &TileMatrix<T>,
    steps: Range<usize>,
) {
    let (m, n) = (a.m(), a.n());
    let (rows, storev) = (m.max(n), gels_blocks(m, n));
    assert!(b.m() == rows, "{} rows of right-hand sides against {m} x {n}", b.m());
    let is_last = steps.end == tau.mt();
    match (storev, trans == Trans::No) {
        // Q^H B along with the factorisation of A = Q R
        (Storev::Columns, true) => geqrf_along(flow, a, tau, b, steps),
        (Storev::Columns, false) => geqrf_steps(flow, a, tau, steps),
        (Storev::Rows, _) => gelqf_steps(flow, a, tau, steps),
    }
    if is_last {
        Solve { storev, trans, a, tau, b }.submit(flow);
    }
}

struct Solve<'a, T> {
    storev: Storev,
    trans: Trans,
    a: &'a TileMatrix<T>,
    tau: &'a TileMatrix<T>,
    b: &'a TileMatrix<T>,
}

impl<T: Scalar> Solve<'_, T> {
    /// Solves with the factors, and with `Q^H B` where that came along with them.
    fn submit(&self, flow: &mut Flow) {
        match (self.storev, self.trans == Trans::No) {
            (Storev::Columns, true) => self.triangle(flow),
            (Storev::Columns, false) | (Storev::Rows, true) => {
                self.triangle(flow);
                self.zero_below(flow);
                self.rotate(flow, Trans::No);
            }
            (Storev::Rows, false) => {
                self.rotate(flow, Trans::Conj);
                self.triangle(flow);
            }
        }
    }

    /// Multiplies `b` by `op(Q)` of a QR factorisation, by that of `Q^H` of an LQ one.
    fn rotate(&self, flow: &mut Flow, trans: Trans) {
        match self.storev {
            Storev::Columns => ormqr(flow, Side::Left, trans, self.a, self.tau, self.b),
            Storev::Rows => {
                let flipped = if trans == Trans::No { Trans::Conj } else { Trans::No };
                ormlq(flow, Side::Left, flipped, self.a, self.tau, self.b);
            }
        }
    }

    /// Sets to zero what lies below the solutions of the triangle.
    fn zero_below(&self, flow: &mut Flow) {
        let rows = self.b.m();
        for j in (0..self.b.nt()).filter(|_| rows > 0) {
            let (n, first) = (self.b.tile_columns(j), self.a.m().min(self.a.n()));
            let zero = ZeroRows::<T> { m: rows, n, first, end: rows, scalar: PhantomData };
            flow.submit(zero, &[(self.b.tile(0, j), RW)], 0);
        }
    }

    /// Solves with the triangle, as it is transposed.
    fn triangle(&self, flow: &mut Flow) {
        let &Self { storev, trans, a, tau, b } = self;
        let (m, _) = storev.stored(a.m(), a.n());
        let (steps, scalar) = (tau.mt(), PhantomData);
        let block = |k: usize| {
            let (i, j) = storev.stored(0, k);
            (a.tile(i, j), tau.tile_rows(k), k * tau.mb())
        };
        let checked = flow.register(0);
        for k in 0..steps {
            let (tile, n, offset) = block(k);
            let check = CheckBlock::<T> { storev, m, n, k: n, offset, scalar };
            flow.submit(check, &[(tile, R), (checked, RW)], 0);
        }
        let ascends = (trans == Trans::No) == (storev == Storev::Rows);
        for step in 0..steps {
            let (tile, n, offset) = block(if ascends { step } else { steps - 1 - step });
            for j in 0..b.nt() {
                let (rows, nrhs) = (b.m(), b.tile_columns(j) as u32);
                let solve =
                    TrsmBlock::<T> { storev, trans, m, n, k: n, offset, rows, nrhs, scalar };
                let accesses = [(tile, R), (checked, R), (b.tile(0, j), RW)];
                flow.submit(solve, &accesses, (steps - step) as i32);
            }
        }
        flow.retire(checked);
    }
}
