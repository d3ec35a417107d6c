//! The largest singular values and vectors of a matrix, from products with few random vectors.
//!
//! Halko, Martinsson, Tropp, "Finding structure with randomness: probabilistic algorithms for
//! constructing approximate matrix decompositions", SIAM Review 53 (2011), algorithms 4.4 and 5.1.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, Storage, TileMatrix, random_entry};
use thiserror::Error;

use crate::{GesvdError, Singular, Vectors, gemm, geqrf, gesvd, orgqr};

/// How [`randomized_svd`] looks for the range of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeFinder {
    /// Random vectors beyond the rank that is asked for; the paper advises 5 to 10.
    pub oversampling: usize,
    /// Products with `A^H` and `A` beyond the first with `A`: 1 or 2 where singular values decay
    /// slowly.
    pub power_iterations: usize,
    /// What the random vectors are drawn from.
    pub seed: u64,
}

impl Default for RangeFinder {
    fn default() -> Self {
        Self { oversampling: 10, power_iterations: 2, seed: 1 }
    }
}

/// A truncated singular value decomposition `A = U diag(s) V^H`.
#[derive(Debug)]
pub struct LowRank<T: Scalar> {
    /// Left singular vectors, `m x k`, in tiles as high as those of `A`.
    pub u: TileMatrix<T>,
    /// Singular values, from the largest on.
    pub s: Vec<T::Real>,
    /// Right singular vectors, `n x k`, in tiles as high as those of `A` are wide.
    pub v: TileMatrix<T>,
}

/// Why there is no decomposition.
#[derive(Debug, Error)]
pub enum SvdError {
    /// A task failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// The small decomposition did not converge: an entry is not a number.
    #[error("the singular value decomposition of the projected matrix does not converge")]
    NoConvergence,
}

/// The `rank` largest singular values of `a` (`m x n`) and their vectors, approximately; fewer if a
/// side of the matrix is shorter. Waits for the flow.
///
/// The expected error in the spectral norm is that of the best approximation times `(1 + sqrt(k /
/// (p - 1)) + e sqrt(k + p) / p sqrt(min(m, n) - k))^(1 / (2 q + 1))` with `p` vectors oversampled
/// and `q` power iterations (the paper's corollary 10.10).
///
/// # Errors
/// As [`SvdError`].
pub fn randomized_svd<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    rank: usize,
    finder: RangeFinder,
) -> Result<LowRank<T>, SvdError> {
    let (m, n) = (a.m(), a.n());
    let k = rank.min(m).min(n);
    let width = (k + finder.oversampling).min(m).min(n);
    let right = TileMatrix::<T>::panel(flow, (n, width), a.nb());
    let left = TileMatrix::<T>::panel(flow, (m, width), a.mb());
    right.fill_with(flow, |i, j| normal_entry(finder.seed, i, j))?;
    for round in 0..=finder.power_iterations {
        if round > 0 {
            gemm(flow, (Trans::Conj, Trans::No), T::ONE, a, &left, T::ZERO, &right);
            orthogonalise(flow, &right)?;
        }
        gemm(flow, (Trans::No, Trans::No), T::ONE, a, &right, T::ZERO, &left);
        orthogonalise(flow, &left)?;
    }
    // With the projected matrix Q^H A = W diag(s) V^H, A is about (Q W) diag(s) V^H.
    gemm(flow, (Trans::Conj, Trans::No), T::ONE, a, &left, T::ZERO, &right);
    let adjoint = in_columns(flow, &right, WIDTH)?;
    let found = gesvd(flow, &adjoint, Vectors::Thin);
    adjoint.unregister(flow);
    let Singular { mut values, u: columns, vh } = found.map_err(|error| match error {
        GesvdError::Flow(error) => error.into(),
        GesvdError::NotFinite | GesvdError::Numerical(_) => SvdError::NoConvergence,
    })?;
    let [columns, vh] = [columns, vh].map(|vectors| vectors.expect("vectors were asked for"));
    let [of_v, of_w] = [gathered(flow, &columns)?, gathered(flow, &vh)?];
    [columns, vh].into_iter().for_each(|vectors| vectors.unregister(flow));
    let w = TileMatrix::<T>::new(flow, (width, k), (width.max(1), k.max(1)), Storage::Full);
    w.fill_with(flow, |i, j| of_w[j + i * width].conj())?;
    let u = TileMatrix::panel(flow, (m, k), a.mb());
    gemm(flow, (Trans::No, Trans::No), T::ONE, &left, &w, T::ZERO, &u);
    let v = TileMatrix::panel(flow, (n, k), a.nb());
    v.fill_with(flow, |i, j| of_v[i + j * n])?;
    [w, left, right].into_iter().for_each(|matrix| matrix.unregister(flow));
    values.truncate(k);
    Ok(LowRank { u, s: values, v })
}

/// Columns of the tiles in which panels are factorised.
const WIDTH: usize = 72;

/// Replaces `y` by an orthonormal basis of its columns.
fn orthogonalise<T: Scalar>(flow: &mut Flow, y: &TileMatrix<T>) -> Result<(), FlowError> {
    let (m, n) = (y.m(), y.n());
    let columns = in_columns(flow, y, m.max(1))?;
    let tau = TileMatrix::panel(flow, (n, 1), WIDTH);
    geqrf(flow, &columns, &tau);
    orgqr(flow, &columns, &tau);
    let array = gathered(flow, &columns)?;
    y.scatter(flow, &array, Order::ColumnMajor { ld: m.max(1) })?;
    columns.unregister(flow);
    tau.unregister(flow);
    Ok(())
}

/// A copy of `y` in tiles of so many rows and [`WIDTH`] columns.
fn in_columns<T: Scalar>(
    flow: &mut Flow,
    y: &TileMatrix<T>,
    rows: usize,
) -> Result<TileMatrix<T>, FlowError> {
    let array = gathered(flow, y)?;
    let columns = TileMatrix::new(flow, (y.m(), y.n()), (rows, WIDTH), Storage::Full);
    columns.scatter(flow, &array, Order::ColumnMajor { ld: y.m().max(1) })?;
    Ok(columns)
}

fn gathered<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Result<Vec<T>, FlowError> {
    let mut array = vec![T::ZERO; a.m() * a.n()];
    a.gather(flow, &mut array, Order::ColumnMajor { ld: a.m().max(1) })?;
    Ok(array)
}

/// An entry of a random matrix with independent normal parts (Box, Muller, 1958).
fn normal_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    // Both uniform; the first in (0, 1].
    let radius = 0.5 - random_entry::<f64>(seed, i, j);
    let angle = std::f64::consts::TAU * random_entry::<f64>(!seed, i, j);
    let radius = (-2.0 * radius.ln()).sqrt();
    let part = |x: f64| T::Real::of_f64(radius * x);
    T::from_parts(part(angle.cos()), part(angle.sin()))
}
