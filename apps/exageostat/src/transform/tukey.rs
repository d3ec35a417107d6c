//! Tukey's g-and-h function, which makes skewed values with heavy tails of Gaussian ones, its
//! inverse and its derivatives.
//!
//! `tau(y) = (exp(g y) - 1)/g exp(h y^2 / 2)`, with `y exp(h y^2 / 2)` at `g = 0`: J. W. Tukey,
//! "Exploratory data analysis" (1977); fields of it: G. Xu, M. G. Genton, "Tukey g-and-h random
//! fields", J. American Statistical Association 112 (2017) 1236-1249.

/// Below this `|g y|` the derivative by `g` is a series, which loses no digits.
const SMALL: f64 = 0.01;
/// Most steps to the inverse; some ten do.
const MOST_STEPS: usize = 200;

/// Tukey's g-and-h function: `g` is its skewness, of either sign, `h`, not negative, how heavy its
/// tails are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TukeyGh {
    /// The skewness.
    pub g: f64,
    /// How heavy the tails are.
    pub h: f64,
}

/// The function and its derivatives at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derivatives {
    /// `tau' = d tau / dy`.
    pub(crate) slope: f64,
    /// `tau'' / tau'`.
    pub(crate) curve: f64,
    /// `d tau / dg`.
    pub(crate) by_g: f64,
    /// `d tau / dh`.
    pub(crate) by_h: f64,
    /// `d ln tau' / dg`.
    pub(crate) slope_by_g: f64,
    /// `d ln tau' / dh`.
    pub(crate) slope_by_h: f64,
}

impl TukeyGh {
    /// `(exp(g y) - 1)/g`.
    fn skewed(self, y: f64) -> f64 {
        if self.g == 0.0 { y } else { (self.g * y).exp_m1() / self.g }
    }

    /// The derivative of [`skewed`](Self::skewed) by `g`, `(y exp(g y) - (exp(g y) - 1)/g)/g`.
    fn skewed_by_g(self, y: f64) -> f64 {
        let x = self.g * y;
        if x.abs() >= SMALL {
            return (y * x.exp() - self.skewed(y)) / self.g;
        }
        // (k - 1)/k! for k = 2, ..., 7.
        let terms = [1.0 / 840.0, 1.0 / 144.0, 1.0 / 30.0, 1.0 / 8.0, 1.0 / 3.0, 0.5];
        y * y * terms.into_iter().fold(0.0, |sum, term| sum * x + term)
    }

    /// `tau(y)`.
    #[must_use]
    pub fn value(self, y: f64) -> f64 {
        self.skewed(y) * (0.5 * self.h * y * y).exp()
    }

    /// `ln tau'(y)`, of `tau' = exp(h y^2 / 2) (exp(g y) + h y (exp(g y) - 1)/g)`.
    #[must_use]
    pub fn log_slope(self, y: f64) -> f64 {
        let Self { g, h } = self;
        0.5 * h * y * y + ((g * y).exp() + h * y * self.skewed(y)).ln()
    }

    /// All derivatives at `y`.
    pub(crate) fn derivatives(self, y: f64) -> Derivatives {
        let Self { g, h } = self;
        let (tail, power) = ((0.5 * h * y * y).exp(), (g * y).exp());
        let (skewed, skewed_by_g) = (self.skewed(y), self.skewed_by_g(y));
        let inner = power + h * y * skewed;
        Derivatives {
            slope: tail * inner,
            curve: h * y + (g * power + h * skewed + h * y * power) / inner,
            by_g: tail * skewed_by_g,
            by_h: 0.5 * y * y * tail * skewed,
            slope_by_g: (y * power + h * y * skewed_by_g) / inner,
            slope_by_h: 0.5 * y * y + y * skewed / inner,
        }
    }

    /// The values between which `tau` lies: all numbers where `h` is positive or `g` is 0.
    #[must_use]
    pub fn support(self) -> (f64, f64) {
        let end = -1.0 / self.g;
        match self {
            Self { g, h } if h > 0.0 || g == 0.0 => (f64::NEG_INFINITY, f64::INFINITY),
            Self { g, .. } if g > 0.0 => (end, f64::INFINITY),
            _ => (f64::NEG_INFINITY, end),
        }
    }

    /// `y` from `r = tau(y)`, to rounding; NaN outside the [`support`](Self::support).
    ///
    /// Newton's method on `ln |tau(y)|`, which is concave but for the tails, within a bracket that
    /// it halves where a step would leave it.
    #[must_use]
    pub fn inverse(self, r: f64) -> f64 {
        let Self { g, h } = self;
        if h == 0.0 {
            return if g == 0.0 { r } else { (g * r).ln_1p() / g };
        }
        if r == 0.0 || !r.is_finite() {
            return r;
        }
        // For y < 0 it is minus that of -g.
        let (side, size) = (1f64.copysign(r), r.abs());
        let function = Self { g: side * g, h };
        let (mut low, mut high) = (0.0, size.min(1.0));
        while function.value(high) < size {
            (low, high) = (high, 2.0 * high);
        }
        let aim = size.ln();
        let mut y = 0.5 * (low + high);
        for _ in 0..MOST_STEPS {
            let skewed = function.skewed(y);
            let rest = skewed.ln() + 0.5 * h * y * y - aim;
            if rest > 0.0 {
                high = y
            } else {
                low = y
            }
            let slope = (function.g * y).exp() / skewed + h * y;
            let mut next = y - rest / slope;
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let is_there = (next - y).abs() <= 2.0 * f64::EPSILON * next;
            y = next;
            if is_there {
                break;
            }
        }
        side * y
    }

    /// The mean of `tau(Y)` for a Gaussian `Y` with mean `m` and variance `v`; none if it does not
    /// exist, `h v >= 1`.
    ///
    /// `(exp(g (g v + 2 m) / (2 (1 - h v))) - 1)/g exp(h m^2 / (2 (1 - h v))) / sqrt(1 - h v)`.
    pub(crate) fn mean(self, m: f64, v: f64) -> Option<f64> {
        let Self { g, h } = self;
        let rest = 1.0 - h * v;
        let power = (g * v + 2.0 * m) / (2.0 * rest);
        let skewed = if g == 0.0 { power } else { (g * power).exp_m1() / g };
        (rest > 0.0).then(|| skewed * (0.5 * h * m * m / rest).exp() / rest.sqrt())
    }

    /// The mean of `tau(Y)^2`, likewise; none if `2 h v >= 1`. With `Z` Gaussian of mean
    /// `m/(1 - 2 h v)` and variance `v/(1 - 2 h v)` it is that of `((exp(g Z) - 1)/g)^2`, times
    /// `exp(h m^2 / (1 - 2 h v)) / sqrt(1 - 2 h v)`; the former by a `rule` of Gauss and Hermite
    /// where `g` is small, and differences would lose digits.
    pub(crate) fn square(self, m: f64, v: f64, rule: &[(f64, f64)]) -> Option<f64> {
        let Self { g, h } = self;
        let rest = 1.0 - 2.0 * h * v;
        if rest <= 0.0 {
            return None;
        }
        let (mean, variance) = (m / rest, v / rest);
        let deviation = variance.sqrt();
        let skewed = if g.abs() * deviation < 1.0 {
            let at = |x: f64| self.skewed(mean + x * deviation).powi(2);
            rule.iter().map(|&(x, weight)| weight * at(x)).sum()
        } else {
            let power = |k: f64| (k * g * mean + 0.5 * k * k * g * g * variance).exp();
            (power(2.0) - 2.0 * power(1.0) + 1.0) / (g * g)
        };
        Some(skewed * (h * m * m / rest).exp() / rest.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(f64, f64); 8] = [
        (0.0, 0.0),
        (0.5, 0.0),
        (-0.8, 0.0),
        (0.0, 0.3),
        (0.4, 0.2),
        (-1.5, 0.05),
        (1e-9, 0.1),
        (0.2, 1e-6),
    ];

    #[test]
    fn the_inverse_is_right_to_rounding() {
        for (g, h) in ALL {
            let function = TukeyGh { g, h };
            for y in [-4.0, -1.3, -1e-7, 0.0, 1e-12, 0.4, 2.5, 6.0] {
                let back = function.inverse(function.value(y));
                // What rounding of the value makes of it.
                let slope = function.log_slope(y).exp();
                let lost = f64::EPSILON * (function.value(y) / slope).abs();
                let error = (back - y).abs();
                assert!(error <= 20.0 * (lost + f64::EPSILON * y.abs()), "{g} {h} {y}: {back}");
            }
        }
        // By mpmath, with 30 digits.
        for (g, h, r, y) in [
            (0.5, 0.1, 3.0, 1.669961501863701),
            (-0.8, 0.3, -7.5, -1.885610332201865),
            (0.2, 0.0, 2.0, 1.682361183106065),
            (0.3, 0.05, -2.9, -3.456015519348763),
        ] {
            let found = TukeyGh { g, h }.inverse(r);
            assert!((found / y - 1.0).abs() < 4.0 * f64::EPSILON, "{g} {h} {r}: {found}");
        }
        assert!(TukeyGh { g: 0.5, h: 0.0 }.inverse(-2.5).is_nan());
        assert!(TukeyGh { g: 0.5, h: 0.01 }.inverse(-1e300) < -300.0);
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let close = |a: f64, b: f64, what: &str| {
            assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{what}: {a} {b}");
        };
        for (g, h) in [(0.0, 0.2), (0.003, 0.1), (0.7, 0.3), (-0.4, 0.05)] {
            for y in [-2.0, 0.3, 1.7] {
                let function = TukeyGh { g, h };
                let found = function.derivatives(y);
                let step = 1e-5;
                let by = |value: &dyn Fn(f64) -> f64| (value(step) - value(-step)) / (2.0 * step);
                close(found.slope, by(&|s| function.value(y + s)), "slope");
                close(found.slope.ln(), function.log_slope(y), "its logarithm");
                close(found.curve, by(&|s| function.log_slope(y + s)), "curve");
                close(found.by_g, by(&|s| TukeyGh { g: g + s, h }.value(y)), "by g");
                close(found.by_h, by(&|s| TukeyGh { g, h: h + s }.value(y)), "by h");
                let slope_by_g = by(&|s| TukeyGh { g: g + s, h }.log_slope(y));
                close(found.slope_by_g, slope_by_g, "slope by g");
                let slope_by_h = by(&|s| TukeyGh { g, h: h + s }.log_slope(y));
                close(found.slope_by_h, slope_by_h, "slope by h");
            }
        }
    }
}
