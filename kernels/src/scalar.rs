//! The two precisions: the trait that every kernel is generic over.

use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::Pod;
use cudarc::driver::DeviceRepr;

use crate::backend::{Backend, Blas};
use crate::cuda::Calls;

/// A real floating-point type: `f32` or `f64`.
///
/// Arithmetic kernels are generic over it; where a precision is chosen at run time
/// ([`Precision`]), the choice is made once, above the kernels.
pub trait Scalar:
    Pod
    + Send
    + Sync
    + Debug
    + Display
    + LowerExp
    + PartialOrd
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
    + DeviceRepr
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Distance from 1 to the next larger number (twice the unit roundoff).
    const EPSILON: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// Which precision this is.
    const PRECISION: Precision;

    /// The nearest number of this type.
    fn from_f64(x: f64) -> Self;
    /// Exact conversion.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Whether neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// `self * a + b` rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// This precision's side of a backend.
    fn blas(backend: &'static dyn Backend) -> &'static dyn Blas<Self>;
    /// This precision's functions of the CUDA libraries.
    fn cuda() -> &'static Calls<Self>;
}

/// Precision of an arithmetic, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bits, `f32`.
    Single,
    /// 64 bits, `f64`.
    Double,
}

impl Precision {
    /// Both, in the order of their sizes.
    pub const ALL: [Self; 2] = [Self::Single, Self::Double];

    /// BLAS's prefix: `s` or `d`.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Single => "s",
            Self::Double => "d",
        }
    }

    /// Size of one number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

macro_rules! scalar {
    ($type:ident, $precision:ident, $side:ident, $calls:ident) => {
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = $type::EPSILON;
            const NAN: Self = $type::NAN;
            const PRECISION: Precision = Precision::$precision;

            fn from_f64(x: f64) -> Self {
                x as $type
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn sqrt(self) -> Self {
                $type::sqrt(self)
            }
            fn abs(self) -> Self {
                $type::abs(self)
            }
            fn ln(self) -> Self {
                $type::ln(self)
            }
            fn exp(self) -> Self {
                $type::exp(self)
            }
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            fn mul_add(self, a: Self, b: Self) -> Self {
                $type::mul_add(self, a, b)
            }
            fn blas(backend: &'static dyn Backend) -> &'static dyn Blas<Self> {
                backend.$side()
            }
            fn cuda() -> &'static Calls<Self> {
                &Calls::$calls
            }
        }
    };
}

scalar!(f32, Single, single, SINGLE);
scalar!(f64, Double, double, DOUBLE);
