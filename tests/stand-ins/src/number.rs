//! The numbers of the libraries: real and complex, in two precisions.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use num_complex::Complex;

/// A number of linear algebra.
pub(crate) trait Number:
    Copy
    + Debug
    + Send
    + Sync
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// The real numbers of the same precision.
    type Real: Number;
    /// Whether numbers have an imaginary part.
    const IS_COMPLEX: bool;

    /// The number of a real and an imaginary part; of real numbers the first alone.
    fn from_parts(re: f64, im: f64) -> Self;
    /// Both parts.
    fn parts(self) -> (f64, f64);

    /// A real number.
    fn real(re: f64) -> Self {
        Self::from_parts(re, 0.0)
    }
    fn conj(self) -> Self {
        let (re, im) = self.parts();
        Self::from_parts(re, -im)
    }
    fn re(self) -> f64 {
        self.parts().0
    }
    fn abs(self) -> f64 {
        let (re, im) = self.parts();
        re.hypot(im)
    }
    /// A real number of the same precision as one of this type.
    fn of(real: Self::Real) -> Self {
        Self::real(real.re())
    }
    fn is_zero(self) -> bool {
        self == Self::real(0.0)
    }
}

/// Makes a real type a [`Number`].
macro_rules! real {
    ($type:ident) => {
        #[allow(clippy::unnecessary_cast)]
        impl Number for $type {
            type Real = Self;
            const IS_COMPLEX: bool = false;
            fn from_parts(re: f64, _im: f64) -> Self {
                re as Self
            }
            fn parts(self) -> (f64, f64) {
                (self as f64, 0.0)
            }
        }
        #[allow(clippy::unnecessary_cast)]
        impl Number for Complex<$type> {
            type Real = $type;
            const IS_COMPLEX: bool = true;
            fn from_parts(re: f64, im: f64) -> Self {
                Self::new(re as $type, im as $type)
            }
            fn parts(self) -> (f64, f64) {
                (self.re as f64, self.im as f64)
            }
        }
    };
}

real!(f32);
real!(f64);
