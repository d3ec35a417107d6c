//! Predictions of Gaussian values, on the scale of the data.

use super::{NO_EXPONENT, Transform, TukeyGh};

/// The standard normal quantile of 97.5 %.
const QUANTILE: f64 = 1.959_963_984_540_054;
/// Nodes of the quadrature.
const NODES: usize = 40;
/// Standard deviations within which a value of the domain must lie all about the mean for a
/// moment to be given where the way back ends in infinity: farther out less than 1e-15 is left.
const REACH: f64 = 8.0;
/// Intervals of the rule before a pole.
const INTERVALS: i32 = 800;
/// Share of an integral that may lie in its last standard deviation.
const NEGLIGIBLE: f64 = 1e-6;
/// Below this `2 h v` the rule has all digits of a variance, which the difference of closed forms
/// would lose where it is small.
const LIGHT: f64 = 0.1;

/// A prediction on the scale of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The mean; NaN if it does not exist.
    pub mean: f64,
    /// The variance; NaN if it does not exist.
    pub variance: f64,
    /// The median.
    pub median: f64,
    /// The lower end of the interval of 95 %.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Prediction {
    /// That of a value which is `more` than this.
    #[must_use]
    pub fn about(self, more: f64) -> Self {
        let Self { mean, variance, median, lower, upper } = self;
        let (mean, median) = (mean + more, median + more);
        Self { mean, variance, median, lower: lower + more, upper: upper + more }
    }
}

/// Brings predictions back through a transformation.
#[derive(Clone, Debug)]
pub struct Back {
    transform: Transform,
    /// Abscissas and weights for the standard normal distribution.
    rule: Vec<(f64, f64)>,
}

impl Back {
    /// Through `transform`.
    #[must_use]
    pub fn new(transform: Transform) -> Self {
        Self { transform, rule: gauss_hermite(NODES) }
    }

    /// Where `z` has kriging mean `m` and variance `v`, and `lagrange` is the term `f' A d` of
    /// [`Predictions`](crate::predict::Predictions).
    ///
    /// Median and interval are those of `g^-1(z)`, `z` Gaussian with `m` and `v`: quantiles go
    /// through a monotone function. So are mean and variance, which are exact for the square root
    /// (moments of a square) and the logarithm, but for the mean of the latter: `exp(m + v/2)` is
    /// unbiased if the mean of the field is known. With an estimated one `exp(z*)`, `z*` the
    /// kriging predictor, must be multiplied by `exp((C(0) - var z*)/2)`, and from the kriging
    /// equations `C(0) - var z* = v - 2 f' A d`: the mean is `exp(m + v/2 - f' A d)` (N. Cressie,
    /// "Statistics for spatial data" (1993), section 3.2.2; N. Cressie, "Block kriging for
    /// lognormal spatial processes", Mathematical Geology 38 (2006) 413-443). Mean and variance
    /// for other exponents of Box and Cox are integrals by the Gauss-Hermite rule of 40 nodes.
    /// For a negative exponent the way back has a pole: they are integrals before it, and do not
    /// exist unless all that matters of the distribution lies there; no more does a quantile beyond
    /// the pole.
    ///
    /// Of Tukey's g-and-h function both are in closed form, from the moment generating function of
    /// a Gaussian variable and its square (Xu and Genton 2017, section 3.2), the variance by the
    /// rule where tails are light; the mean of the values is taken as known. The mean exists for
    /// `h v < 1`, with `v` in units of the variance of the field, the variance for `h v < 1/2`.
    #[must_use]
    pub fn prediction(&self, m: f64, v: f64, lagrange: f64) -> Prediction {
        let transform = self.transform;
        let deviation = v.max(0.0).sqrt();
        let at = |normal: f64| transform.invert(m + normal * deviation);
        let (mean, variance) = match transform {
            Transform::None => (m, v),
            Transform::Sqrt => (m * m + v, v * (2.0 * v + 4.0 * m * m)),
            Transform::Log => lognormal(m, v, lagrange),
            Transform::BoxCox(lambda) if lambda.abs() < NO_EXPONENT => lognormal(m, v, lagrange),
            Transform::BoxCox(lambda) if lambda < 0.0 => before_pole(at),
            Transform::BoxCox(_) => self.moments(at),
            Transform::TukeyGh { scale, function } => {
                let (mean, variance) = self.tukey(function, m / scale, v / (scale * scale));
                (scale * mean, scale * scale * variance)
            }
        };
        // What lies beyond all numbers is no quantile.
        let quantile = |normal| Some(at(normal)).filter(|y| y.is_finite()).unwrap_or(f64::NAN);
        let [median, lower, upper] = [0.0, -QUANTILE, QUANTILE].map(quantile);
        Prediction { mean, variance, median, lower, upper }
    }

    /// Mean and variance of Tukey's `function` of a Gaussian variable; NaN where they do not exist.
    fn tukey(&self, function: TukeyGh, m: f64, v: f64) -> (f64, f64) {
        let v = v.max(0.0);
        let mean = function.mean(m, v).unwrap_or(f64::NAN);
        if 2.0 * function.h * v < LIGHT {
            let deviation = v.sqrt();
            return (mean, self.moments(|x| function.value(m + x * deviation)).1);
        }
        let square = function.square(m, v, &self.rule).unwrap_or(f64::NAN);
        (mean, square - mean * mean)
    }

    /// Mean and variance of `value` of a standard normal variable.
    fn moments(&self, value: impl Fn(f64) -> f64) -> (f64, f64) {
        // Nodes beyond all numbers have next to no weight.
        let values = || self.rule.iter().map(|&(x, weight)| (value(x), weight));
        let nodes = || values().filter(|(y, _)| y.is_finite());
        let mean: f64 = nodes().map(|(y, weight)| weight * y).sum();
        let variance = nodes().map(|(y, weight)| weight * (y - mean).powi(2)).sum();
        (mean, variance)
    }
}

/// Mean and variance of `value` of a standard normal variable, which grows without bound towards a
/// pole, by Simpson's rule; NaN where the pole is not beyond [`REACH`], or where the last standard
/// deviation before that holds more than [`NEGLIGIBLE`] of the integral.
fn before_pole(value: impl Fn(f64) -> f64) -> (f64, f64) {
    if !value(REACH).is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let step = 2.0 * REACH / f64::from(INTERVALS);
    let node = |k: i32| {
        let x = -REACH + f64::from(k) * step;
        let simpson = if k == 0 || k == INTERVALS { 1 } else { 2 + 2 * (k % 2) };
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        (x, value(x), f64::from(simpson) * step / 3.0 * density)
    };
    let nodes: Vec<(f64, f64, f64)> = (0..=INTERVALS).map(node).collect();
    let integral = |f: &dyn Fn(f64) -> f64| {
        let sum = |from: f64| {
            let those = nodes.iter().filter(move |(x, ..)| *x >= from);
            those.map(|(_, y, weight)| weight * f(*y)).sum::<f64>()
        };
        let (all, last) = (sum(-REACH), sum(REACH - 1.0));
        if last <= NEGLIGIBLE * all { all } else { f64::NAN }
    };
    let mean = integral(&|y| y);
    (mean, integral(&|y| (y - mean).powi(2)))
}

/// Mean and variance of a lognormal value.
fn lognormal(m: f64, v: f64, lagrange: f64) -> (f64, f64) {
    ((m + 0.5 * v - lagrange).exp(), (2.0 * m + v).exp() * v.exp_m1())
}

/// Abscissas and weights of the Gauss-Hermite rule of `n` nodes for the standard normal
/// distribution: Newton's method on the orthonormal Hermite polynomials, each zero divided out of
/// those after it. Source: P. J. Davis, P. Rabinowitz, "Methods of numerical integration" (1984),
/// section 2.7.
fn gauss_hermite(n: usize) -> Vec<(f64, f64)> {
    // He_k / sqrt(k!) at x: the last two, and the sum of squares of those before the last.
    let polynomials = |x: f64| {
        let (mut before, mut p, mut squares) = (0.0, 1.0, 1.0);
        for k in 0..n {
            let next = (x * p - (k as f64).sqrt() * before) / ((k + 1) as f64).sqrt();
            (before, p) = (p, next);
            if k + 1 < n {
                squares += p * p;
            }
        }
        (p, before, squares)
    };
    let mut rule: Vec<(f64, f64)> = Vec::with_capacity(n);
    let mut x = 2.0 * (n as f64).sqrt();
    for _ in 0..n {
        for _ in 0..200 {
            let (p, before, _) = polynomials(x);
            let slope = (n as f64).sqrt() * before;
            let known: f64 = rule.iter().map(|(zero, _)| 1.0 / (x - zero)).sum();
            let step = p / (slope - p * known);
            x -= step;
            if step.abs() <= 4.0 * f64::EPSILON * x.abs().max(1.0) {
                break;
            }
        }
        rule.push((x, 1.0 / polynomials(x).2));
        x -= 0.1 / (n as f64).sqrt();
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_has_the_moments_of_the_normal_distribution() {
        let rule = gauss_hermite(NODES);
        let moment = |k: i32| rule.iter().map(|(x, weight)| weight * x.powi(k)).sum::<f64>();
        for (k, expected) in [(0, 1.0), (1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0), (8, 105.0)] {
            assert!((moment(k) - expected).abs() < 1e-10 * expected.max(1.0), "{k}: {}", moment(k));
        }
        let distinct = rule.windows(2).all(|pair| pair[0].0 > pair[1].0 + 1e-3);
        assert!(distinct, "{rule:?}");
    }

    #[test]
    fn quadrature_agrees_with_closed_forms() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} against {b}");
        // lambda = 1/2 is (z/2 + 1)^2.
        let found = Back::new(Transform::BoxCox(0.5)).prediction(9.0, 0.5, 0.0);
        let (m, v) = (5.5, 0.125);
        close(found.mean, m * m + v);
        close(found.variance, 2.0 * v * v + 4.0 * m * m * v);
        let near = Back::new(Transform::BoxCox(1e-6)).prediction(1.0, 0.3, 0.0);
        let log = Back::new(Transform::Log).prediction(1.0, 0.3, 0.0);
        assert!(
            (near.mean / log.mean - 1.0).abs() < 1e-4
                && (near.upper / log.upper - 1.0).abs() < 1e-4
        );
        close(log.mean, 1.15f64.exp());
        close(log.variance, 2.3f64.exp() * (0.3f64.exp() - 1.0));
        close(log.upper, (1.0 + QUANTILE * 0.3f64.sqrt()).exp());
        let corrected = Back::new(Transform::Log).prediction(1.0, 0.3, 0.1);
        close(corrected.mean, 1.05f64.exp());
        assert_eq!((corrected.median, corrected.lower), (log.median, log.lower));
    }

    /// Integrals with 30 digits, by mpmath.
    #[test]
    fn moments_of_tukeys_function_are_those_of_integrals() {
        let answers = [
            ((0.5, 0.1), (0.4, 0.3), (0.5680277976798385, 0.601802550779012)),
            ((0.3, 0.4), (-0.7, 0.8), (-1.054081410584998, 6.265836349552713)),
            ((0.0, 0.2), (1.1, 0.5), (1.473_728_225_307_226, 1.6341795000019432)),
            ((-0.6, 0.0), (0.2, 0.9), (-0.07149079791793873, 1.156_050_742_670_238)),
            ((1.5, 0.15), (0.3, 0.9), (3.195663852281889, 449.18495718410762)),
        ];
        for ((g, h), (m, v), (mean, variance)) in answers {
            let function = TukeyGh { g, h };
            // A field of variance 4, about 0.
            let back = Back::new(Transform::TukeyGh { scale: 2.0, function });
            let found = back.prediction(2.0 * m, 4.0 * v, 0.1);
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-11, "{g} {h}: {a} {b}");
            close(found.mean, 2.0 * mean);
            close(found.variance, 4.0 * variance);
            close(found.upper, 2.0 * function.value(m + QUANTILE * v.sqrt()));
        }
        let heavy = Transform::TukeyGh { scale: 1.0, function: TukeyGh { g: 0.1, h: 0.8 } };
        let found = Back::new(heavy).prediction(0.0, 1.0, 0.0);
        assert!(
            found.variance.is_nan() && found.mean.is_finite() && found.about(2.0).median == 2.0
        );
        assert!(Back::new(heavy).prediction(0.0, 1.3, 0.0).mean.is_nan());
    }

    #[test]
    fn moments_that_do_not_exist_are_none() {
        let found = Back::new(Transform::BoxCox(-0.5)).prediction(1.0, 0.25, 0.0);
        assert!(found.mean.is_nan() && found.variance.is_nan() && found.median == 4.0);
        let narrow = Back::new(Transform::BoxCox(-0.5)).prediction(1.0, 1e-4, 0.0);
        assert!((narrow.mean - 4.0).abs() < 0.01, "{narrow:?}");
        // The pole lies 2.1 standard deviations above one mean, 1.8 above another.
        let upper = |v| Back::new(Transform::BoxCox(-0.5)).prediction(1.0, v, 0.0).upper;
        assert!(upper(0.22).is_finite() && upper(0.31).is_nan());
    }

    /// By 10^5 steps up to eight standard deviations, before the pole at 9.1 of them.
    #[test]
    fn moments_before_a_pole_are_those_of_the_integral() {
        let (transform, deviation) = (Transform::BoxCox(-0.5), 0.11);
        let found = Back::new(transform).prediction(1.0, deviation * deviation, 0.0);
        let step = 16.0 / 1e5;
        let mean_of = |f: &dyn Fn(f64) -> f64| -> f64 {
            let node = |k: i32| {
                let x = (f64::from(k) + 0.5) * step - 8.0;
                f(transform.invert(1.0 + x * deviation)) * (-0.5 * x * x).exp()
            };
            (0..100_000).map(node).sum::<f64>() * step / (2.0 * std::f64::consts::PI).sqrt()
        };
        let mean = mean_of(&|y| y);
        let variance = mean_of(&|y| (y - mean).powi(2));
        assert!((found.mean / mean - 1.0).abs() < 1e-7, "{found:?}: {mean}");
        assert!((found.variance / variance - 1.0).abs() < 1e-6, "{found:?}: {variance}");
    }
}
