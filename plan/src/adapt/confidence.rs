//! What strategies with a Gaussian process share: the points that it knows, their noise, and how
//! wide a confidence bound is (N. Srinivas, A. Krause, S. Kakade, M. Seeger, "Gaussian process
//! optimization in the bandit setting", ICML 2010, theorem 1).

use super::process::Point;
use super::{Action, History};

/// With what probability a bound of theorem 1 fails.
const FAILS: f64 = 0.1;

/// By how much the bound of theorem 1 is divided, which its authors do in their experiments.
const SCALE: f64 = 5.0;

/// The least deviation of one duration, relative to their mean: simulated ones do not differ.
const LEAST_DEVIATION: f64 = 1e-3;

/// The width of a confidence bound after so many of so many actions, in standard deviations: the
/// root of `beta_t` of theorem 1.
pub(super) fn width(actions: usize, taken: usize) -> f64 {
    let t = taken as f64;
    let pairs = actions as f64 * t * t * std::f64::consts::PI.powi(2) / (6.0 * FAILS);
    (2.0 * pairs.ln() / SCALE).sqrt()
}

/// The variance of the noise of one duration.
pub(super) fn noise(history: &History) -> f64 {
    let mean = history.taken().iter().map(|(_, cost)| cost).sum::<f64>() / history.len() as f64;
    history.noise().unwrap_or(0.0).max((LEAST_DEVIATION * mean).powi(2))
}

/// A point for each action that was taken: its mean less what is `expected`.
pub(super) fn points(
    history: &History,
    row: impl Fn(usize) -> ([f64; 2], Vec<f64>),
    expected: impl Fn(usize) -> f64,
    noise: f64,
) -> Vec<Point> {
    let point = |action: usize| {
        let (at, trend) = row(action);
        let value = history.mean(action).expect("it was taken") - expected(action);
        Point { at, trend, value, noise: noise / history.costs(action).len() as f64 }
    };
    history.tried().map(point).collect()
}

/// The variance of a sample; 0 of fewer than two values.
pub(super) fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    if count < 2 {
        return 0.0;
    }
    let mean = values.clone().sum::<f64>() / count as f64;
    values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64
}

/// The place of an action among others.
pub(super) fn place(action: Action) -> [f64; 2] {
    [action.first as f64, action.second as f64]
}

/// The action with the least `bound`, of several the first.
pub(super) fn least(actions: impl Iterator<Item = usize>, bound: impl Fn(usize) -> f64) -> usize {
    let bounds = actions.map(|action| (bound(action), action));
    bounds
        .reduce(|best, next| if next.0 < best.0 { next } else { best })
        .expect("there are all nodes")
        .1
}
