//! The numbers that kernels are generic over: real and complex, in two precisions.

use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::Pod;
use num_complex::Complex;

use crate::backend::{Backend, Blas};
use crate::cuda::Names;

/// A complex number of two `f32`.
#[expect(non_camel_case_types, reason = "named as the real types are")]
pub type c32 = Complex<f32>;

/// A complex number of two `f64`.
#[expect(non_camel_case_types, reason = "named as the real types are")]
pub type c64 = Complex<f64>;

/// A number of linear algebra: `f32`, `f64`, [`c32`] or [`c64`].
///
/// Kernels are generic over it; where a precision is chosen at run time ([`Precision`]), the
/// choice is made once, above the kernels.
pub trait Scalar:
    Pod
    + Send
    + Sync
    + Debug
    + Display
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// The real numbers of the same precision.
    type Real: Real;
    /// The same kind of numbers in the other precision: of 32 bits for 64 and of 64 for 32.
    type Other: Scalar<Other = Self>;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// Which precision this is.
    const PRECISION: Precision;
    /// Whether numbers have an imaginary part.
    const IS_COMPLEX: bool;

    /// The number `re + i im`; of a real type `re` alone.
    fn from_parts(re: Self::Real, im: Self::Real) -> Self;
    /// Real part.
    fn re(self) -> Self::Real;
    /// Imaginary part.
    fn im(self) -> Self::Real;
    /// Complex conjugate.
    fn conj(self) -> Self;
    /// Modulus, without overflow on the way.
    fn abs(self) -> Self::Real;
    /// Whether both parts are neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The nearest number of the other precision; an infinity if it is out of its range.
    fn convert(self) -> Self::Other;
    /// The quotient, without the squares that `/` takes of complex numbers, which overflow: by
    /// Smith, "Algorithm 116: Complex division", Communications of the ACM 5 (1962).
    #[must_use]
    fn divided_by(self, divisor: Self) -> Self;
    /// This precision's side of a backend.
    fn blas(backend: &'static dyn Backend) -> &'static dyn Blas<Self>;
    /// What this precision is called by the CUDA libraries, and in device code.
    fn cuda() -> &'static Names;

    /// The nearest number of this type.
    #[must_use]
    fn from_f64(x: f64) -> Self {
        Self::from_real(Self::Real::of_f64(x))
    }

    /// A real number as one of this type.
    #[must_use]
    fn from_real(re: Self::Real) -> Self {
        Self::from_parts(re, Self::Real::ZERO)
    }

    /// This number times a real one.
    #[must_use]
    fn times_real(self, factor: Self::Real) -> Self {
        Self::from_parts(self.re() * factor, self.im() * factor)
    }

    /// `|re| + |im|`: as large as the modulus up to a factor of root 2, and cheaper; what BLAS
    /// compares pivots by.
    #[must_use]
    fn abs1(self) -> Self::Real {
        if Self::IS_COMPLEX { self.re().abs() + self.im().abs() } else { self.re().abs() }
    }

    /// What one operation may lose, relative to what it is made of: the distance from 1 to the next
    /// larger real number, times 4 for complex numbers, of which a product takes three operations.
    #[must_use]
    fn epsilon() -> f64 {
        Self::Real::EPSILON.to_f64() * if Self::IS_COMPLEX { 4.0 } else { 1.0 }
    }

    /// The modulus, as `f64`.
    #[must_use]
    fn size(self) -> f64 {
        self.abs().to_f64()
    }

    /// Square of the modulus.
    #[must_use]
    fn abs_squared(self) -> Self::Real {
        if Self::IS_COMPLEX {
            self.re() * self.re() + self.im() * self.im()
        } else {
            self.re() * self.re()
        }
    }
}

/// A real number: `f32` or `f64`.
pub trait Real: Scalar<Real = Self> + PartialOrd + LowerExp {
    /// Distance from 1 to the next larger number (twice the unit roundoff).
    const EPSILON: Self;
    /// The smallest positive number whose reciprocal does not overflow.
    const MIN_POSITIVE: Self;

    /// The nearest number of this type.
    fn of_f64(x: f64) -> Self;
    /// Whether this is no number.
    fn is_nan(self) -> bool;
    /// Exact conversion.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// `self * a + b` rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `sqrt(self^2 + other^2)` without overflow on the way.
    fn hypot(self, other: Self) -> Self;
}

/// Precision of an arithmetic, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bits, `f32`.
    Single,
    /// 64 bits, `f64`.
    Double,
    /// Two parts of 32 bits, [`c32`].
    ComplexSingle,
    /// Two parts of 64 bits, [`c64`].
    ComplexDouble,
}

impl Precision {
    /// All, in the order of their sizes.
    pub const ALL: [Self; 4] =
        [Self::Single, Self::Double, Self::ComplexSingle, Self::ComplexDouble];

    /// Those of real numbers.
    pub const REAL: [Self; 2] = [Self::Single, Self::Double];

    /// BLAS's prefix: `s`, `d`, `c` or `z`.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Single => "s",
            Self::Double => "d",
            Self::ComplexSingle => "c",
            Self::ComplexDouble => "z",
        }
    }

    /// Size of one number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double | Self::ComplexSingle => 8,
            Self::ComplexDouble => 16,
        }
    }

    /// Whether numbers have an imaginary part.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::ComplexSingle | Self::ComplexDouble)
    }
}

macro_rules! real {
    ($type:ident, $other:ident, $precision:ident, $side:ident, $names:ident) => {
        impl Scalar for $type {
            type Real = Self;
            type Other = $other;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $type::NAN;
            const PRECISION: Precision = Precision::$precision;
            const IS_COMPLEX: bool = false;

            #[inline]
            fn from_parts(re: Self, _im: Self) -> Self {
                re
            }
            #[inline]
            fn re(self) -> Self {
                self
            }
            #[inline]
            fn im(self) -> Self {
                0.0
            }
            #[inline]
            fn conj(self) -> Self {
                self
            }
            #[inline]
            fn abs(self) -> Self {
                $type::abs(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            #[inline]
            fn convert(self) -> $other {
                self as $other
            }
            #[inline]
            fn divided_by(self, divisor: Self) -> Self {
                self / divisor
            }
            fn blas(backend: &'static dyn Backend) -> &'static dyn Blas<Self> {
                backend.$side()
            }
            fn cuda() -> &'static Names {
                &Names::$names
            }
            #[inline]
            fn times_real(self, factor: Self) -> Self {
                self * factor
            }
        }

        impl Real for $type {
            const EPSILON: Self = $type::EPSILON;
            const MIN_POSITIVE: Self = $type::MIN_POSITIVE;

            #[inline]
            fn of_f64(x: f64) -> Self {
                x as $type
            }
            #[inline]
            fn is_nan(self) -> bool {
                $type::is_nan(self)
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn sqrt(self) -> Self {
                $type::sqrt(self)
            }
            #[inline]
            fn ln(self) -> Self {
                $type::ln(self)
            }
            #[inline]
            fn exp(self) -> Self {
                $type::exp(self)
            }
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $type::mul_add(self, a, b)
            }
            #[inline]
            fn hypot(self, other: Self) -> Self {
                $type::hypot(self, other)
            }
        }
    };
}

macro_rules! complex {
    ($real:ident, $other:ident, $precision:ident, $side:ident, $names:ident) => {
        impl Scalar for Complex<$real> {
            type Real = $real;
            type Other = Complex<$other>;
            const ZERO: Self = Self::new(0.0, 0.0);
            const ONE: Self = Self::new(1.0, 0.0);
            const NAN: Self = Self::new($real::NAN, $real::NAN);
            const PRECISION: Precision = Precision::$precision;
            const IS_COMPLEX: bool = true;

            #[inline]
            fn from_parts(re: $real, im: $real) -> Self {
                Self::new(re, im)
            }
            #[inline]
            fn re(self) -> $real {
                self.re
            }
            #[inline]
            fn im(self) -> $real {
                self.im
            }
            #[inline]
            fn conj(self) -> Self {
                Self::new(self.re, -self.im)
            }
            #[inline]
            fn abs(self) -> $real {
                self.re.hypot(self.im)
            }
            #[inline]
            fn is_finite(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }
            #[inline]
            fn convert(self) -> Complex<$other> {
                Complex::new(self.re as $other, self.im as $other)
            }
            #[inline]
            fn divided_by(self, divisor: Self) -> Self {
                let Self { re: a, im: b } = self;
                let Self { re: c, im: d } = divisor;
                if c.abs() >= d.abs() {
                    let ratio = d / c;
                    let length = c + d * ratio;
                    Self::new((a + b * ratio) / length, (b - a * ratio) / length)
                } else {
                    let ratio = c / d;
                    let length = c * ratio + d;
                    Self::new((a * ratio + b) / length, (b * ratio - a) / length)
                }
            }
            fn blas(backend: &'static dyn Backend) -> &'static dyn Blas<Self> {
                backend.$side()
            }
            fn cuda() -> &'static Names {
                &Names::$names
            }
        }
    };
}

real!(f32, f64, Single, single, SINGLE);
real!(f64, f32, Double, double, DOUBLE);
complex!(f32, f64, ComplexSingle, complex_single, COMPLEX_SINGLE);
complex!(f64, f32, ComplexDouble, complex_double, COMPLEX_DOUBLE);

#[cfg(test)]
mod tests {
    use super::{Real, Scalar, c32, c64};

    /// Numbers whose squares leave the range of their precision.
    fn divides_at_the_ends_of_the_range<T: Scalar>() {
        let (small, large) = (T::Real::MIN_POSITIVE, T::Real::ONE / T::Real::MIN_POSITIVE);
        let quarter = T::Real::of_f64(0.25);
        for scale in [small * T::Real::of_f64(4.0), large * quarter] {
            for (re, im) in [(1.0, 0.5), (0.5, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 1.0)] {
                let factor = T::from_parts(T::Real::of_f64(re), T::Real::of_f64(im));
                let quotient = factor.times_real(scale).divided_by(factor.times_real(scale));
                let error = (quotient - T::ONE).size();
                assert!(error <= 4.0 * T::epsilon(), "{factor} {scale}: {quotient}");
            }
        }
    }

    #[test]
    fn complex_numbers_divide_without_overflow() {
        divides_at_the_ends_of_the_range::<c32>();
        divides_at_the_ends_of_the_range::<c64>();
    }
}
