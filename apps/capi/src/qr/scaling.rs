//! Matrices brought into the range in which their squares neither overflow nor vanish.

use tegula_kernels::scalar::{Real, Scalar};

use crate::array::Matrix;

/// Largest modulus of an entry; NaN if there is one.
pub(super) fn largest<T: Scalar>(a: Matrix<T>) -> T::Real {
    let (entries, zero) = (a.view(), T::Real::ZERO);
    let indices = (0..a.cols).flat_map(|j| (0..a.rows).map(move |i| (i, j)));
    indices.map(|(i, j)| entries.at(i, j).abs()).fold(zero, |most, size| {
        // A comparison with NaN is false.
        if most >= size || most.is_nan() { most } else { size }
    })
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

/// Multiplies by `to / from`, by parts where the quotient leaves the range: LAPACK's `lascl`.
fn scale<T: Scalar>(a: Matrix<T>, from: T::Real, to: T::Real) {
    let (small, large) = (T::Real::MIN_POSITIVE, T::Real::ONE / T::Real::MIN_POSITIVE);
    let (mut from, mut to) = (from, to);
    loop {
        let (less, more) = (from * small, to / large);
        let (factor, is_last) = if less == from || more == to {
            (to / from, true)
        } else if less.abs() > to.abs() && to != T::Real::ZERO {
            from = less;
            (small, false)
        } else if more.abs() > from.abs() {
            to = more;
            (large, false)
        } else {
            (to / from, true)
        };
        a.view_mut().apply(|x| x.times_real(factor));
        if is_last {
            return;
        }
    }
}
