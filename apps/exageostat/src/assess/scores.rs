//! Scores of Gaussian predictions.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::left_out::LeftOut;

/// Central intervals whose coverage is counted: percents, and half their widths in standard
/// deviations.
pub const LEVELS: [(u32, f64); 4] = [
    (50, 0.674_489_750_196_082),
    (80, 1.281_551_565_544_6),
    (90, 1.644_853_626_951_473),
    (95, 1.959_963_984_540_054),
];

/// Bins of the histogram of the probability integral transform.
pub const PIT_BINS: usize = 10;

/// How far observations are from Gaussian predictions, and whether their variances are right.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// How many there are; of none, what follows is NaN.
    pub n: usize,
    /// Root of the mean squared error, in the unit of the values.
    pub rmse: f64,
    /// Mean absolute error, likewise.
    pub mae: f64,
    /// Mean of observed less predicted values, the bias.
    pub mean_error: f64,
    /// Mean of squared errors divided by their variances: 1 if these are right.
    pub msse: f64,
    /// Mean continuous ranked probability score, in the unit of the values; less is better.
    ///
    /// With standardised errors `x` it is `s (x (2 Phi(x) - 1) + 2 phi(x) - 1/sqrt(pi))`: T.
    /// Gneiting, A. E. Raftery, "Strictly proper scoring rules, prediction, and estimation", J.
    /// American Statistical Association 102 (2007) 359-378.
    pub crps: f64,
    /// Mean of minus the logarithms of the predictive densities; less is better.
    pub log_score: f64,
    /// Shares of the observations within the intervals of [`LEVELS`].
    pub coverage: [f64; LEVELS.len()],
    /// Observations by `Phi(x)` in bins of equal width: about as many in each if the predictions
    /// are calibrated.
    pub pit: [usize; PIT_BINS],
}

impl Scores {
    /// Of observations that were left out; those of which the others say nothing do not count.
    #[must_use]
    pub fn new(left_out: &[LeftOut]) -> Self {
        let known = || left_out.iter().filter(|one| one.is_known());
        let n = known().count();
        let mean = |score: &dyn Fn(f64, f64) -> f64| {
            // With the standardised error and the standard deviation.
            let each = known().map(|one| score(one.standardised(), one.variance.sqrt()));
            each.sum::<f64>() / n as f64
        };
        let mut pit = [0; PIT_BINS];
        for one in known() {
            let bin = PIT_BINS as f64 * probability(one.standardised());
            pit[(bin as usize).min(PIT_BINS - 1)] += 1;
        }
        Self {
            n,
            rmse: mean(&|x, s| (x * s).powi(2)).sqrt(),
            mae: mean(&|x, s| (x * s).abs()),
            mean_error: mean(&|x, s| x * s),
            msse: mean(&|x, _| x * x),
            crps: mean(&|x, s| {
                s * (x * (2.0 * probability(x) - 1.0) + 2.0 * density(x) - PI.sqrt().recip())
            }),
            log_score: -known().map(|one| one.log_density).sum::<f64>() / n as f64,
            coverage: LEVELS.map(|(_, half)| mean(&|x, _| f64::from(x.abs() <= half))),
            pit,
        }
    }
}

/// The number that a standard normal one is below with this `probability`, by bisection to the last
/// bits; from -40 to 40.
#[must_use]
pub fn normal_quantile(probability_below: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if probability(middle) < probability_below { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The density of the standard normal distribution.
fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Its distribution function.
fn probability(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_levels() {
        for (percent, half) in LEVELS {
            let found = normal_quantile(0.5 + f64::from(percent) / 200.0);
            assert!((found - half).abs() < 1e-12, "{percent}: {found} against {half}");
        }
        assert!(normal_quantile(0.5).abs() < 1e-15);
    }

    /// The definition, `int (F(y) - 1(y >= z))^2 dy`, by the midpoint rule.
    #[test]
    fn the_ranked_score_is_the_integral_of_its_definition() {
        for (error, deviation) in [(0.0, 1.0), (1.3, 0.5), (-4.0, 2.0)] {
            let step = 1e-3 * deviation;
            let integrand = |y: f64| probability(y / deviation) - f64::from(y >= error);
            let sum = (-20_000..20_000).map(|k| integrand((f64::from(k) + 0.5) * step).powi(2));
            let expected = step * sum.sum::<f64>();
            let found = Scores::new(&[LeftOut::new(error, deviation * deviation)]).crps;
            assert!((found - expected).abs() < 1e-6 * deviation, "{found} against {expected}");
        }
    }

    #[test]
    fn scores_are_means_over_what_is_known() {
        let known = [(1.0, 1.0), (-3.0, 4.0), (0.1, 1.0)].map(|(e, v)| LeftOut::new(e, v));
        let scores = Scores::new(&[&known[..], &[LeftOut::UNKNOWN]].concat());
        assert_eq!((scores.n, scores.pit.iter().sum::<usize>()), (3, 3));
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
        };
        close(scores.rmse, (10.01f64 / 3.0).sqrt());
        close(scores.mae, 4.1 / 3.0);
        close(scores.mean_error, -1.9 / 3.0);
        close(scores.msse, (1.0 + 2.25 + 0.01) / 3.0);
        let ln = (2.0 * PI).ln() / 2.0;
        close(scores.log_score, ln + (0.5 * 3.26 + 2.0f64.ln()) / 3.0);
        for (found, expected) in scores.coverage.iter().zip([1.0, 2.0, 3.0, 3.0]) {
            close(*found, expected / 3.0);
        }
        // Phi of 1, -1.5 and 0.1.
        assert_eq!([scores.pit[8], scores.pit[0], scores.pit[5]], [1, 1, 1]);
        assert!(Scores::new(&[]).rmse.is_nan());
    }
}
