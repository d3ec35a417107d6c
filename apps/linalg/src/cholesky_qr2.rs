//! QR factorisation of tall matrices by two Cholesky factorisations of Gram matrices.
//!
//! Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of the CholeskyQR2
//! algorithm", Electronic Transactions on Numerical Analysis 44 (2015).

use tegula_kernels::kernel::{geadd::Geadd, gemm::Gemm, laset::Laset, syrk::Syrk, trmm::Trmm};
use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, Reduce, W};
use tegula_runtime::flow::Flow;
use tegula_runtime::memory::Reduction;
use tegula_tiles::{Storage, TileMatrix};

use crate::{Triangle, potrf, trsm};

/// Submits the factorisation `A = Q R` of `a` (`m x n`, `m >= n`), overwritten by `Q`; the upper
/// triangle `R` goes to `r` (`n x n`, square tiles as wide as those of `a`), with zeros below.
///
/// Every operation is a product or a solve with a matrix. `Q` is orthogonal to rounding if the
/// condition number of `A` is below about `1 / (8 sqrt(eps (m n + n (n + 1))))` (the paper's
/// inequality 3.3). Fails with `NotPositiveDefinite` if it is so large that a Gram matrix is not
/// positive definite in this arithmetic.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn cholesky_qr2<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, r: &TileMatrix<T>) {
    let (m, n, nb) = (a.m(), a.n(), a.nb());
    assert!(a.storage() == Storage::Full && r.storage() == Storage::Full, "a triangle is no room");
    assert!(m >= n, "{m} x {n} is not tall");
    assert!(
        (r.m(), r.n(), r.mb(), r.nb()) == (n, n, nb, nb),
        "R of {} x {} in {} x {} for {n} columns in {nb}s",
        r.m(),
        r.n(),
        r.mb(),
        r.nb()
    );
    let first = pass(flow, a);
    start(flow, &first, r);
    let second = pass(flow, a);
    multiply(flow, &second, r);
    for factor in [first, second] {
        factor.indices().for_each(|tile| flow.retire(factor.tile(tile.row, tile.column)));
    }
}

/// `A = A L^-H` with `L L^H = A^H A`; returns `L`.
fn pass<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> TileMatrix<T> {
    let gram = TileMatrix::lower(flow, a.n(), a.nb());
    for tile in gram.indices() {
        flow.set_reduction(gram.tile(tile.row, tile.column), Reduction::sum::<T>());
    }
    let (alpha, beta, trans) = (T::ONE, T::ONE, Trans::Conj);
    for l in 0..a.mt() {
        let k = a.tile_rows(l);
        for j in 0..a.nt() {
            let (form, uplo, n) = (Form::Hermitian, Uplo::Lower, a.tile_columns(j));
            let syrk = Syrk { form, uplo, trans, n, k, alpha, beta };
            flow.submit(syrk, &[(a.tile(l, j), R), (gram.tile(j, j), Reduce)], 0);
            for i in j + 1..a.nt() {
                let (trans_a, trans_b, m) = (trans, Trans::No, a.tile_columns(i));
                let gemm = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
                let read = [(a.tile(l, i), R), (a.tile(l, j), R)];
                flow.submit(gemm, &[read[0], read[1], (gram.tile(i, j), Reduce)], 0);
            }
        }
    }
    potrf(flow, &gram);
    let (side, uplo, diag) = (Side::Right, Uplo::Lower, Diag::NonUnit);
    trsm(flow, Triangle { side, uplo, trans, diag }, T::ONE, &gram, a);
    gram
}

/// `R = L^H`, with zeros below the diagonal.
fn start<T: Scalar>(flow: &mut Flow, l: &TileMatrix<T>, r: &TileMatrix<T>) {
    for (i, j) in (0..r.nt()).flat_map(|j| (0..r.nt()).map(move |i| (i, j))) {
        let (m, n) = (r.tile_rows(i), r.tile_columns(j));
        let diagonal = if i == j { T::ONE } else { T::ZERO };
        let laset = Laset { m, n, off_diagonal: T::ZERO, diagonal };
        flow.submit(laset, &[(r.tile(i, j), W)], 0);
        if i < j {
            let copy = Geadd { trans: Trans::Conj, m, n, alpha: T::ONE, beta: T::ZERO };
            flow.submit(copy, &[(l.tile(j, i), R), (r.tile(i, j), RW)], 0);
        }
        if i == j {
            flow.submit(triangle::<T>(m, n), &[(l.tile(i, i), R), (r.tile(i, i), RW)], 0);
        }
    }
}

/// `R = L^H R`: row `i` takes rows that have not changed yet.
fn multiply<T: Scalar>(flow: &mut Flow, l: &TileMatrix<T>, r: &TileMatrix<T>) {
    for (i, j) in (0..r.nt()).flat_map(|j| (0..=j).map(move |i| (i, j))) {
        let (m, n) = (r.tile_rows(i), r.tile_columns(j));
        flow.submit(triangle::<T>(m, n), &[(l.tile(i, i), R), (r.tile(i, j), RW)], 0);
        for k in i + 1..=j {
            let (trans_a, trans_b, alpha, beta) = (Trans::Conj, Trans::No, T::ONE, T::ONE);
            let gemm = Gemm { trans_a, trans_b, m, n, k: r.tile_rows(k), alpha, beta };
            flow.submit(gemm, &[(l.tile(k, i), R), (r.tile(k, j), R), (r.tile(i, j), RW)], 0);
        }
    }
}

/// `B = L^H B` of tiles.
fn triangle<T: Scalar>(m: usize, n: usize) -> Trmm<T> {
    let (side, uplo, trans, diag) = (Side::Left, Uplo::Lower, Trans::Conj, Diag::NonUnit);
    Trmm { side, uplo, trans, diag, m, n, alpha: T::ONE }
}
