//! Matrices brought into the range in which their squares neither overflow nor vanish.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::scalar::{Real, Scalar};

use crate::array::Matrix;
use crate::auxiliary::lascl::scale;
use crate::auxiliary::norms::value;

/// Largest modulus of an entry; NaN if there is one.
pub(crate) fn largest<T: Scalar>(a: Matrix<T>) -> T::Real {
    value(Norm::Max, Structure::General, a)
}

/// How a matrix was scaled: what its largest entry was, and what it is now.
#[derive(Clone, Copy)]
pub(crate) struct Scaling<R> {
    from: R,
    to: R,
}

impl<R: Real> Scaling<R> {
    /// Scales `a`, whose largest entry is `largest`, if that is very small or very large.
    pub(crate) fn of<T: Scalar<Real = R>>(a: Matrix<T>, largest: R) -> Option<Self> {
        let scaling = Self::needed(largest)?;
        scaling.apply(a);
        Some(scaling)
    }

    /// How a matrix is to be scaled whose largest entry is `largest`, if that is very small or very
    /// large.
    pub(crate) fn needed(largest: R) -> Option<Self> {
        let small = R::MIN_POSITIVE / R::EPSILON;
        let to = if largest > R::ZERO && largest < small {
            small
        } else if largest > R::ONE / small && largest.is_finite() {
            R::ONE / small
        } else {
            return None;
        };
        Some(Self { from: largest, to })
    }

    /// Multiplies `x` by what the matrix was multiplied by: undoes it for what was divided by it.
    pub(crate) fn apply<T: Scalar<Real = R>>(self, x: Matrix<T>) {
        scale(x, self.from, self.to);
    }

    /// Divides `x` by what the matrix was multiplied by.
    pub(crate) fn undo<T: Scalar<Real = R>>(self, x: Matrix<T>) {
        scale(x, self.to, self.from);
    }
}
