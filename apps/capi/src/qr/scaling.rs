//! Matrices brought into the range in which their squares neither overflow nor vanish.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::scalar::{Real, Scalar};

use crate::array::Matrix;
use crate::auxiliary::lascl::scale;
use crate::auxiliary::norms::value;

/// Largest modulus of an entry; NaN if there is one.
pub(super) fn largest<T: Scalar>(a: Matrix<T>) -> T::Real {
    value(Norm::Max, Structure::General, a)
}

/// How a matrix was scaled: what its largest entry was, and what it is now.
#[derive(Clone, Copy)]
pub(super) struct Scaling<R> {
    from: R,
    to: R,
}

impl<R: Real> Scaling<R> {
    /// Scales `a`, whose largest entry is `largest`, if that is very small or very large.
    pub(super) fn of<T: Scalar<Real = R>>(a: Matrix<T>, largest: R) -> Option<Self> {
        let small = R::MIN_POSITIVE / R::EPSILON;
        let to = if largest > R::ZERO && largest < small {
            small
        } else if largest > R::ONE / small && largest.is_finite() {
            R::ONE / small
        } else {
            return None;
        };
        scale(a, largest, to);
        Some(Self { from: largest, to })
    }

    /// Multiplies `x` by what the matrix was multiplied by: undoes it for what was divided by it.
    pub(super) fn apply<T: Scalar<Real = R>>(self, x: Matrix<T>) {
        scale(x, self.from, self.to);
    }

    /// Divides `x` by what the matrix was multiplied by.
    pub(super) fn undo<T: Scalar<Real = R>>(self, x: Matrix<T>) {
        scale(x, self.to, self.from);
    }
}
