//! What a covariance supplies to have a radial table: its shape as a function of the scaled
//! distance.

use super::table::Row;

/// Expansion at small `s`, with `a(s) + s^power b(s)` of coefficients from the constant term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SmallExpansion {
    /// The sum is the correlation; `a[0]` is 1.
    Sum {
        /// Coefficients of `a`.
        a: [f64; 3],
        /// Coefficients of `b`.
        b: [f64; 3],
        /// Exponent of `s`.
        power: f64,
    },
    /// The sum is the logarithm of the correlation; `a[0]` is 0.
    Logarithm {
        /// Coefficients of `a`.
        a: [f64; 3],
        /// Coefficients of `b`.
        b: [f64; 3],
        /// Exponent of `s`.
        power: f64,
    },
    /// The correlation is `(1 + s^power)^-exponent`, near and far.
    Rational {
        /// Exponent of `s`.
        power: f64,
        /// Exponent of the whole, without its sign.
        exponent: f64,
    },
}

/// A derivative of a covariance as a function of `x = d / scale`, smooth for `x > 0` and 0 at 0.
///
/// It is either relative to the covariance, a logarithmic derivative, which then changes slowly
/// where the covariance vanishes, or, of a covariance that is 0 from some distance on, the
/// derivative of the correlation.
pub trait Derivative {
    /// The derivative at the nodes of one cell.
    fn values(&self, x: &Row) -> Row;
    /// Its expansion at small `s = x^2`.
    fn near(&self) -> SmallDerivative;
}

/// Expansion of a derivative at small `s`. Where the table has no end but
/// [`Tail::SmallExpansion`], it holds everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SmallDerivative {
    /// `s^power (b(s) + log ln(s))`.
    Power {
        /// Coefficients of `b` from the constant term.
        b: [f64; 3],
        /// Coefficient of the logarithm.
        log: f64,
        /// Exponent of `s`.
        power: f64,
    },
    /// `logarithm ln(1 + z) + (ratio[0] + ratio[1] ln(s)) z / (1 + z)` with `z = s^power`.
    Rational {
        /// Exponent of `s`.
        power: f64,
        /// Factor of the logarithm.
        logarithm: f64,
        /// Factors of the ratio.
        ratio: [f64; 2],
    },
}

impl SmallDerivative {
    /// The two terms that meet the values of `derivative` at `x` and at half of it.
    #[must_use]
    pub fn meeting(derivative: impl Fn(f64) -> f64, x: f64, power: f64) -> Self {
        let [(l1, v1), (l2, v2)] = [x, 0.5 * x].map(|x| {
            let s = x * x;
            (s.ln(), derivative(x) / s.powf(power))
        });
        let log = (v1 - v2) / (l1 - l2);
        Self::Power { b: [v1 - log * l1, 0.0, 0.0], log, power }
    }
}

/// What holds beyond the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// The correlation is 0 or underflows.
    Zero,
    /// [`SmallExpansion`] is the whole function and holds everywhere.
    SmallExpansion,
}

/// A correlation as a function of `x = d / scale`: what a covariance supplies to have a table.
///
/// It must be smooth for `x > 0`, except at powers of two where it may have kinks, positive up to
/// [`support`](Self::support), and 1 at 0.
pub trait Correlation {
    /// The correlation at `x > 0`.
    fn value(&self, x: f64) -> f64;
    /// Its logarithm, also where the correlation underflows.
    fn logarithm(&self, x: f64) -> f64;
    /// Its expansion, exact to rounding for `x^2 <` [`first`](Self::first).
    fn near(&self) -> SmallExpansion;
    /// What holds from the end of the table on.
    fn far(&self) -> Tail {
        Tail::Zero
    }
    /// Distance from which it is exactly 0: a power of two, or infinity.
    fn support(&self) -> f64 {
        f64::INFINITY
    }
    /// Exponent of two of the first `s` in the table.
    fn first(&self) -> i32 {
        -32
    }
    /// Exponent of two of the `s` from which on cells are fine: where the correlation changes.
    fn split(&self) -> i32 {
        -4
    }
    /// How many bits of `s` number the cells of an octave, below the split and from there on.
    fn bits(&self) -> [u32; 2] {
        [3, 5]
    }
    /// [`value`](Self::value) at the nodes of one cell.
    fn values(&self, x: &Row) -> Row {
        x.map(|x| self.value(x))
    }
    /// [`logarithm`](Self::logarithm) at the nodes of one cell, less `high`, a number of few bits
    /// close to them. A large logarithm that is a sum with `-x` keeps its digits if `high` is taken
    /// off that term first, `-x - high` being exact.
    fn remainders(&self, x: &Row, high: f64) -> Row {
        x.map(|x| self.logarithm(x) - high)
    }
}
