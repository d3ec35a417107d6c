//! What one evaluation of the likelihood yields, and how it can fail.

use std::f64::consts::PI;

use tegula_kernels::error::NumericalError;
use tegula_runtime::flow::FlowError;
use thiserror::Error;

use crate::covariance::CovarianceError;
use crate::small::{backward, cholesky, forward, inverse, positive};

/// Why the likelihood has no value.
#[derive(Clone, Debug, Error)]
pub enum LikelihoodError {
    /// The covariance matrix is not positive definite in this precision.
    #[error(
        "the covariance matrix is not positive definite: its leading minor of order {order} of \
         {n} is not. Places may be too near each other for a field this smooth; a nugget, a \
         smaller smoothness or a smaller range helps"
    )]
    NotPositiveDefinite {
        /// Order of the first leading minor that is not positive.
        order: usize,
        /// Order of the matrix.
        n: usize,
    },
    /// The covariance matrix is not positive definite once its tiles are of low rank.
    #[error(
        "the covariance matrix with tiles of low rank is not positive definite: an accuracy of \
         {accuracy:e} is too coarse for these parameters. Take a smaller one, as in tlr:{:.0e}; if \
         the exact matrix is not positive definite either, a nugget or a smaller range helps",
        0.01 * accuracy
    )]
    TooCoarse {
        /// The accuracy of its tiles.
        accuracy: f64,
    },
    /// The covariance matrix is not positive definite once some of its tiles are rounded to 32
    /// bits.
    #[error(
        "the covariance matrix with tiles in 32 bits is not positive definite: an accuracy of \
         {accuracy:e} is too coarse for these parameters. Take a smaller one, as in mixed:{:.0e}; if \
         the exact matrix is not positive definite either, a nugget or a smaller range helps",
        0.01 * accuracy
    )]
    Rounded {
        /// The accuracy of its tiles.
        accuracy: f64,
    },
    /// The columns of the mean are dependent under this covariance.
    #[error("the columns of the mean are dependent under this covariance")]
    DependentMean,
    /// Squares of the values, divided by the covariance, leave the range of the numbers.
    #[error(
        "the squares of the values are too large or too small for numbers of 64 bits: change their unit"
    )]
    Scale,
    /// The parameters do not make a covariance.
    #[error(transparent)]
    Covariance(#[from] CovarianceError),
    /// Something else went wrong in the flow.
    #[error(transparent)]
    Flow(FlowError),
}

impl LikelihoodError {
    /// The error of a flow that evaluates a matrix of order `n`.
    pub(crate) fn from_flow(error: FlowError, n: usize) -> Self {
        match error.kernel_error::<NumericalError>() {
            Some(&NumericalError::NotPositiveDefinite { order }) => {
                Self::NotPositiveDefinite { order, n }
            }
            _ => Self::Flow(error),
        }
    }

    /// Whether the parameters are to blame, so that a search may go on elsewhere.
    #[must_use]
    pub fn is_numerical(&self) -> bool {
        matches!(
            self,
            Self::NotPositiveDefinite { .. }
                | Self::TooCoarse { .. }
                | Self::Rounded { .. }
                | Self::DependentMean
                | Self::Covariance(CovarianceError::Together { .. })
        )
    }
}

/// Which likelihood is to be greatest where parameters are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// That of the values, the mean profiled out (ML).
    #[default]
    Full,
    /// That of what the mean does not explain (REML): H. D. Patterson, R. Thompson, "Recovery of
    /// inter-block information when block sizes are unequal", Biometrika 58 (1971) 545-554.
    Restricted,
}

/// The parts of a log-likelihood, the mean profiled out by generalised least squares.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Number of values: of places, times replicates.
    pub n: usize,
    /// Fields at the same places.
    pub replicates: usize,
    /// `ln |C|`, times replicates.
    pub logdet: f64,
    /// `r' C^-1 r` with the residuals `r = z - F b`, of all replicates.
    pub quadratic: f64,
    /// Coefficients of the orthonormal columns of the mean, those of each replicate together.
    pub coefficients: Vec<f64>,
    /// `(Q' C^-1 Q)^-1`, the covariance of those of a replicate, `p x p` by columns.
    pub coefficient_covariance: Vec<f64>,
}

impl Evaluation {
    /// From `ln |C|` of `places` and the Gram matrix `W' W` of `W = L^-1 [Q r ..]`, by columns,
    /// with the residuals `r = z - Q c` of each replicate, where its `p` coefficients `c` are an
    /// `offset`.
    ///
    /// # Errors
    /// [`LikelihoodError::DependentMean`] if `Q' C^-1 Q` is not positive definite.
    pub(crate) fn new(
        places: usize,
        logdet: f64,
        gram: &[f64],
        offset: &[Vec<f64>],
    ) -> Result<Self, LikelihoodError> {
        let (p, replicates) = (offset[0].len(), offset.len());
        let size = p + replicates;
        let at = |i: usize, j: usize| gram[i + j * size];
        let factor = cholesky(p, at, positive).ok_or(LikelihoodError::DependentMean)?;
        let (mut quadratic, mut coefficients) = (0.0, Vec::with_capacity(p * replicates));
        for (column, offset) in (p..).zip(offset) {
            let rhs: Vec<f64> = (0..p).map(|i| at(i, column)).collect();
            let half = forward(&factor, p, &rhs);
            // Squares beyond all numbers leave nothing to subtract from.
            let (explained, whole) = (half.iter().map(|x| x * x).sum::<f64>(), at(column, column));
            let rest = if whole.is_finite() { whole - explained } else { f64::INFINITY };
            quadratic += rest.max(0.0);
            let more = backward(&factor, p, &half);
            coefficients.extend(offset.iter().zip(more).map(|(c, more)| c + more));
        }
        let (n, times) = (replicates * places, replicates as f64);
        let coefficient_covariance = inverse(&factor, p);
        let logdet = times * logdet;
        Ok(Self { n, replicates, logdet, quadratic, coefficients, coefficient_covariance })
    }

    /// Number of places.
    #[must_use]
    pub fn places(&self) -> usize {
        self.n / self.replicates
    }

    /// Number of columns of the mean.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.coefficients.len() / self.replicates
    }

    /// The coefficients of the orthonormal columns in the mean of a replicate.
    #[must_use]
    pub fn coefficients_of(&self, replicate: usize) -> &[f64] {
        let p = self.columns();
        &self.coefficients[replicate * p..][..p]
    }

    /// Of each replicate the coefficients less its `offset`.
    pub(crate) fn changes(&self, offset: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let change = |(replicate, offset): (usize, &Vec<f64>)| {
            let found = self.coefficients_of(replicate);
            found.iter().zip(offset).map(|(g, c)| g - c).collect()
        };
        offset.iter().enumerate().map(change).collect()
    }

    /// The log-likelihood.
    #[must_use]
    pub fn loglik(&self) -> f64 {
        -0.5 * (self.n as f64 * (2.0 * PI).ln() + self.logdet + self.quadratic)
    }

    /// The restricted log-likelihood, that of what the mean does not explain: with orthonormal
    /// columns `Q` of the mean, `-1/2 ((n - p) ln 2 pi + ln |C| + ln |Q' C^-1 Q| + r' C^-1 r)` (D.
    /// A. Harville, "Bayesian inference for variance components using only error contrasts",
    /// Biometrika 61 (1974) 383-385).
    #[must_use]
    pub fn restricted_loglik(&self) -> f64 {
        let (p, times) = (self.columns(), self.replicates as f64);
        let at = |i: usize, j: usize| self.coefficient_covariance[i + j * p];
        let factor = cholesky(p, at, positive).unwrap_or_else(|| vec![f64::NAN; p * p]);
        let logdet: f64 = (0..p).map(|i| 2.0 * factor[i + i * p].ln()).sum();
        let constant = (self.n - self.coefficients.len()) as f64 * (2.0 * PI).ln();
        -0.5 * (constant + self.logdet - times * logdet + self.quadratic)
    }

    /// The log-likelihood by `criterion`.
    #[must_use]
    pub fn value(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::Full => self.loglik(),
            Criterion::Restricted => self.restricted_loglik(),
        }
    }

    /// The variance by which to multiply `C` so that the likelihood is greatest by `criterion`.
    #[must_use]
    pub fn best_scale(&self, criterion: Criterion) -> f64 {
        let taken = if criterion == Criterion::Restricted { self.coefficients.len() } else { 0 };
        self.quadratic / (self.n - taken) as f64
    }

    /// The evaluation for `scale` times `C`.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        self.logdet += self.n as f64 * scale.ln();
        self.quadratic /= scale;
        self.coefficient_covariance.iter_mut().for_each(|x| *x *= scale);
        self
    }
}
