//! Least squares and minimum norm solutions with a sparse matrix of full rank.

use std::sync::Arc;

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::{SparseMatrix, norm2};
use tegula_runtime::flow::{Flow, FlowError};

use super::{Analysis, RankFindings, SparseR, rank_tolerance, sparse_qr};

/// Solutions, and what was found on the way to them.
#[derive(Clone, Debug)]
pub struct LeastSquares<T> {
    /// The solutions, column by column: `n x nrhs`.
    pub x: Vec<T>,
    /// What the diagonal of `R` says of the rank.
    pub rank: RankFindings,
}

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum SparseGelsError {
    /// A diagonal entry of `R` is so small that the matrix is taken to have lower rank.
    #[error(
        "the matrix has not full rank: {} of the {of} diagonal entries of R are larger than {:.3e}, \
         the first that is not belongs to {what} {}: leave that out, or add rows that tell them apart",
        .findings.rank, .findings.tolerance, .findings.first_dependent.map_or(0, |place| place + 1)
    )]
    RankDeficient {
        /// What was found; the column is counted from 0, in messages from 1.
        findings: RankFindings,
        /// Entries of the diagonal.
        of: usize,
        /// What was factorised: columns of the matrix, or its rows.
        what: &'static str,
    },
    /// Tasks failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// Solves `A X = B` with `a` (`m x n`) of full rank: in the sense of least squares if it has at
/// least as many rows as columns, else with the least norm. `b` is `m x nrhs`, column by column.
/// `analysis` is that of `a`, or of its adjoint where it has fewer rows than columns
/// ([`is_adjoint`]); large fronts are cut into tiles of `nb` columns. Waits.
///
/// With fewer rows than columns, where `A^H = Q R`, the solution is `A^H (R^H R)^-1 b`, once
/// refined: without `Q`, and as accurate as with it (Paige, "An error analysis of a method for
/// solving matrix equations", Math. Comp. 27, 1973; Bjorck, "Numerical methods for least squares
/// problems", SIAM 1996, section 2.5).
///
/// # Errors
/// If the matrix has lower rank, as far as `R` shows it, or tasks failed.
///
/// # Panics
/// As [`sparse_qr`].
pub fn sparse_gels<T: Scalar>(
    flow: &mut Flow,
    analysis: &Arc<Analysis>,
    a: &SparseMatrix<T>,
    (b, nrhs): (&[T], usize),
    nb: usize,
) -> Result<LeastSquares<T>, SparseGelsError> {
    let r = if is_adjoint(a.m(), a.n()) {
        sparse_qr(flow, analysis, &a.adjoint(), (&[], 0), nb)?
    } else {
        sparse_qr(flow, analysis, a, (b, nrhs), nb)?
    };
    let factored = Factored::new(r, a, nrhs);
    Ok(LeastSquares { x: factored.solve(a, b)?, rank: factored.rank })
}

/// Whether the adjoint of an `m x n` matrix is factorised.
#[must_use]
pub fn is_adjoint(m: usize, n: usize) -> bool {
    m < n
}

/// A matrix, or its adjoint, factorised for [`sparse_gels`]: the first half of it.
#[derive(Clone, Debug)]
pub struct Factored<T> {
    /// The factor.
    pub r: SparseR<T>,
    /// What its diagonal says of the rank.
    pub rank: RankFindings,
    nrhs: usize,
    is_adjoint: bool,
}

impl<T: Scalar> Factored<T> {
    /// `a` with the factor `r` of it, along which `nrhs` right-hand sides went, or of its adjoint
    /// if [`is_adjoint`] says so.
    ///
    /// # Panics
    /// If `r` is the factor of a matrix of another shape.
    #[must_use]
    pub fn new(r: SparseR<T>, a: &SparseMatrix<T>, nrhs: usize) -> Self {
        let is_adjoint = is_adjoint(a.m(), a.n());
        assert_eq!(r.analysis().n(), a.n().min(a.m()), "the factor of another matrix");
        let rank = r.rank(rank_tolerance(a));
        Self { r, rank, nrhs, is_adjoint }
    }

    /// The solutions, column by column, of `A X = B` with the `a` and `b` that were factorised.
    ///
    /// # Errors
    /// If the matrix has lower rank, as far as `R` shows it.
    ///
    /// # Panics
    /// If `a` or `b` has another shape.
    pub fn solve(&self, a: &SparseMatrix<T>, b: &[T]) -> Result<Vec<T>, SparseGelsError> {
        let of = self.r.analysis().n();
        if self.rank.rank < of {
            let what = if self.is_adjoint { "row" } else { "column" };
            return Err(SparseGelsError::RankDeficient { findings: self.rank, of, what });
        }
        let solution = |k: usize| {
            if self.is_adjoint {
                self.least_norm(a, &b[k * a.m()..(k + 1) * a.m()])
            } else {
                self.r.solve_along(k)
            }
        };
        Ok((0..self.nrhs).flat_map(solution).collect())
    }

    /// `A^H (R^H R)^-1 b`, refined once.
    fn least_norm(&self, a: &SparseMatrix<T>, b: &[T]) -> Vec<T> {
        let step = |right: &[T]| {
            let mut y = self.r.in_order(right);
            self.r.solve_adjoint(&mut y);
            self.r.solve(&mut y);
            a.multiply_adjoint(&self.r.in_columns(&y))
        };
        let mut x = step(b);
        let mut rest = b.to_vec();
        a.multiply(-T::ONE, &x, &mut rest);
        x.iter_mut().zip(step(&rest)).for_each(|(x, correction)| *x += correction);
        x
    }
}

/// How far `x` is from the least squares solution of `A x = b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// The two-norm of `A x - b`.
    pub norm: f64,
    /// The two-norm of `A^H (A x - b)` over the norms of `A` (Frobenius) and of `A x - b`: small at
    /// a least squares solution, unless that one's residual is nothing but rounding.
    pub gradient: f64,
    /// The two-norm of `A x - b` over that of `A` times that of `x`, and that of `b`: small where
    /// the equations have a solution.
    pub backward_error: f64,
}

impl Residual {
    /// That of `x` in `A x = b`.
    ///
    /// # Panics
    /// If a vector has another length.
    #[must_use]
    pub fn of<T: Scalar>(a: &SparseMatrix<T>, x: &[T], b: &[T]) -> Self {
        let mut rest: Vec<T> = b.iter().map(|&b| -b).collect();
        a.multiply(T::ONE, x, &mut rest);
        let (norm, size) = (norm2(&rest), a.frobenius_norm());
        let over = |x: f64, y: f64| if x == 0.0 { 0.0 } else { x / y };
        Self {
            norm,
            gradient: over(norm2(&a.multiply_adjoint(&rest)), size * norm),
            backward_error: over(norm, size * norm2(x) + norm2(b)),
        }
    }
}
