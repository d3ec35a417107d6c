//! What a kernel that cannot do its job returns.

use tegula_runtime::flow::FailureCodec;
use thiserror::Error;

/// A numerical failure, with its place in the whole matrix.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NumericalError {
    /// A leading minor is not positive, or holds a NaN: the matrix has no Cholesky factor.
    #[error(
        "the matrix is not positive definite: its leading minor of order {order} is not positive"
    )]
    NotPositiveDefinite {
        /// Order of the first such minor, from 1, in the whole matrix (LAPACK's `info`).
        order: usize,
    },
    /// A pivot of an elimination without pivoting is zero or not finite.
    #[error("pivot {index} is zero or not finite: the matrix has no factors without pivoting")]
    SingularPivot {
        /// Index of the first such pivot, from 1, in the whole matrix (LAPACK's `info`).
        index: usize,
    },
    /// Nothing that is left in a column of an elimination with pivoting is a finite pivot other
    /// than zero.
    #[error("the matrix is singular: pivot {index} is zero or not finite")]
    Singular {
        /// Index of the first such column, from 1 (LAPACK's `info`).
        index: usize,
    },
    /// A triangular matrix has a zero on its diagonal and no inverse.
    #[error("diagonal entry {index} of the triangular matrix is zero: it has no inverse")]
    SingularTriangle {
        /// Index of the first such entry, from 1, in the whole matrix (LAPACK's `info`).
        index: usize,
    },
    /// The logarithm of a determinant that is not a positive finite number.
    #[error("diagonal entry {index} of the factor is zero or not finite: no log-determinant")]
    NoLogDeterminant {
        /// Index of the first such entry, from 1, in the whole matrix.
        index: usize,
    },
    /// The iteration for the eigenvalues of a tridiagonal matrix, or the singular values of a
    /// bidiagonal one, has not ended.
    #[error(
        "the eigenvalues or singular values of a condensed matrix of order {order} did not converge"
    )]
    NoConvergence {
        /// Order of the matrix.
        order: usize,
    },
}

/// How these failures go to other ranks.
pub const CODEC: FailureCodec = FailureCodec {
    encode: |error| error.downcast_ref::<NumericalError>().map(|error| error.to_bytes()),
    decode: |bytes| Some(Box::new(NumericalError::of_bytes(bytes)?)),
};

impl NumericalError {
    fn to_bytes(self) -> Vec<u8> {
        let (kind, place) = match self {
            Self::NotPositiveDefinite { order } => (0u8, order),
            Self::SingularPivot { index } => (1, index),
            Self::Singular { index } => (2, index),
            Self::SingularTriangle { index } => (3, index),
            Self::NoLogDeterminant { index } => (4, index),
            Self::NoConvergence { order } => (5, order),
        };
        let mut bytes = vec![kind];
        bytes.extend((place as u64).to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (&kind, place) = bytes.split_first()?;
        let place = u64::from_le_bytes(place.try_into().ok()?) as usize;
        Some(match kind {
            0 => Self::NotPositiveDefinite { order: place },
            1 => Self::SingularPivot { index: place },
            2 => Self::Singular { index: place },
            3 => Self::SingularTriangle { index: place },
            4 => Self::NoLogDeterminant { index: place },
            5 => Self::NoConvergence { order: place },
            _ => return None,
        })
    }

    /// The same failure in a matrix in which this tile begins at row `offset`.
    #[must_use]
    pub const fn shifted(self, offset: usize) -> Self {
        match self {
            Self::NotPositiveDefinite { order } => {
                Self::NotPositiveDefinite { order: order + offset }
            }
            Self::SingularPivot { index } => Self::SingularPivot { index: index + offset },
            Self::Singular { index } => Self::Singular { index: index + offset },
            Self::SingularTriangle { index } => Self::SingularTriangle { index: index + offset },
            Self::NoLogDeterminant { index } => Self::NoLogDeterminant { index: index + offset },
            Self::NoConvergence { order } => Self::NoConvergence { order },
        }
    }
}
