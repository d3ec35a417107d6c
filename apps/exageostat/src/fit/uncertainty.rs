//! How far estimates may be from the truth: standard errors and intervals by the average
//! information.
//!
//! The inverse of the information is the covariance of the estimates, for many observations (K. V.
//! Mardia, R. J. Marshall, "Maximum likelihood estimation of models for residual covariance in
//! spatial regression", Biometrika 71 (1984) 135-146). It is taken in logarithms, in which
//! likelihoods are nearly quadratic; intervals are therefore not symmetric, and never leave the
//! positive numbers. Those of angles are in degrees.

use super::Information;
use super::region::Best;
use super::space::Space;
use crate::covariance::Scale;
use crate::likelihood::Score;
use crate::model::Model;
use crate::small::scaled_inverse;

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;
/// How many times the variance of an estimate grows by what is not known of the others, from where
/// on the data hardly tell it apart.
const INFLATED: f64 = 1e4;
/// A standard error of a logarithm that says nothing: the ends of the interval are a factor of 1e17
/// apart.
const VAGUE: f64 = 10.0;

/// Of each parameter, and of the nugget after them; none of what is fixed or ended at a bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uncertainty {
    /// Standard errors, in the units of the estimates.
    pub std_errors: Vec<Option<f64>>,
    /// Intervals that cover the truth with a probability of 95 %.
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Largest derivative of the log-likelihood by the logarithm of one of them, where derivatives
    /// were worked out.
    pub gradient_norm: Option<f64>,
    /// What they are by.
    pub information: Information,
    /// Two that the data hardly tell apart.
    pub confused: Option<[&'static str; 2]>,
    /// Those of which the data say nothing, also if the others are known: errors of these take them
    /// as known.
    pub unknown: Vec<&'static str>,
}

impl Uncertainty {
    /// That of the best point of a search in `space`, by its information of this `kind`, or else
    /// that of its score; none if it has neither. `is_free` tells which of the parameters, and of
    /// the nugget after them, are estimated and not at a bound.
    pub(super) fn of(
        best: &Best,
        kind: Information,
        space: &Space,
        is_free: &[bool],
    ) -> Option<Self> {
        let score = best.score.as_ref();
        let count = is_free.len();
        let mut free: Vec<usize> = (0..count).filter(|&k| is_free[k]).collect();
        let information = best.information.as_ref().or(score.map(|score| &score.information))?;
        let steepest =
            |score: &Score| free.iter().fold(0.0_f64, |most, &k| most.max(score.gradient[k].abs()));
        let mut found = Self {
            std_errors: vec![None; count],
            intervals: vec![None; count],
            gradient_norm: score.map(steepest),
            information: kind,
            confused: None,
            unknown: Vec::new(),
        };
        let covariance = loop {
            let at = |i: usize, j: usize| information[free[i] + free[j] * count];
            if let Some(covariance) = scaled_inverse(free.len(), at) {
                break covariance;
            }
            // The first that adds nothing to those before it.
            let first = (1..=free.len()).find(|&m| scaled_inverse(m, at).is_none());
            let unknown = free.remove(first.expect("all together are singular") - 1);
            found.unknown.push(space.parameter_name(unknown));
        };
        let n = free.len();
        let at = |i: usize, j: usize| information[free[i] + free[j] * count];
        let estimate = |k: usize| best.model.values.get(k).copied().unwrap_or(best.model.nugget);
        for (i, &k) in free.iter().enumerate() {
            let error = covariance[i + i * n].sqrt();
            let value = estimate(k);
            let (scale, (low, high)) = (space.scale(k), space.domain(k));
            if scale == Scale::Logarithm && error > VAGUE {
                found.unknown.push(space.parameter_name(k));
                continue;
            }
            found.std_errors[k] = Some(scale.slope(value) * error);
            found.intervals[k] = Some(match scale {
                Scale::Logarithm => {
                    let factor = (NORMAL * error).exp();
                    // A ratio beyond 1 says that another direction may be the longest.
                    let most = if space.is_ratio(k) { f64::INFINITY } else { high };
                    (value / factor, (value * factor).min(most))
                }
                // A quarter turn to either side is every direction.
                Scale::Angle => {
                    let reach = (NORMAL * scale.slope(value) * error).min(90.0);
                    (value - reach, value + reach)
                }
                Scale::Identity => {
                    let reach = NORMAL * error;
                    ((value - reach).max(low), (value + reach).min(high))
                }
            });
        }
        let inflation = |i: usize| at(i, i) * covariance[i + i * n];
        let mut worst: Vec<usize> = (0..n).collect();
        worst.sort_by(|&i, &j| inflation(j).total_cmp(&inflation(i)));
        if let [first, second, ..] = worst[..]
            && inflation(first) > INFLATED
        {
            found.confused = Some([first, second].map(|i| space.parameter_name(free[i])));
        }
        Some(found)
    }

    /// The standard error of the coordinate of parameter `index` of `model`, or of the nugget after
    /// them.
    pub(super) fn relative_error(&self, index: usize, model: &Model, scale: Scale) -> Option<f64> {
        let value = model.values.get(index).copied().unwrap_or(model.nugget);
        self.std_errors.get(index).copied().flatten().map(|error| error / scale.slope(value))
    }
}
