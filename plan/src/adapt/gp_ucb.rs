//! GP-UCB (section 7.2.5): a Gaussian process with an unknown constant mean, and the least lower
//! confidence bound (N. Srinivas, A. Krause, S. Kakade, M. Seeger, "Gaussian process optimization
//! in the bandit setting", ICML 2010, with the sign that seconds have).

use super::process::{Point, Process};
use super::{Action, History, Space};

/// With what probability a bound of theorem 1 fails.
const FAILS: f64 = 0.1;

/// By how much the bound of theorem 1 is divided, which its authors do in their experiments.
const SCALE: f64 = 5.0;

/// The least deviation of one duration, relative to their mean: simulated ones do not differ.
const LEAST_DEVIATION: f64 = 1e-3;

/// Parameters of the covariance that are compared, by powers of 2.
const VARIANCES: [i32; 6] = [-8, -6, -4, -2, 0, 2];

pub(super) fn next(space: &Space, history: &History) -> usize {
    if let Some(action) = first(space, history) {
        return action;
    }
    let noise = noise(history);
    let points: Vec<Point> =
        points(history, |action| (place(space.actions()[action]), vec![1.0]), |_| 0.0, noise);
    let process = likeliest(&points, space.nodes());
    let width = width(space.actions().len(), history.len());
    least((0..space.actions().len()).rev(), |action| {
        let belief = process.belief(place(space.actions()[action]), &[1.0]);
        belief.mean - width * belief.deviation
    })
}

/// All nodes, one, and twice the middle between them.
fn first(space: &Space, history: &History) -> Option<usize> {
    let line = space.line();
    let middle = line[space.place(usize::midpoint(1, space.nodes()))];
    [space.all(), line[0], middle, middle].get(history.len()).copied()
}

/// The process of the likeliest variance and range.
fn likeliest(points: &[Point], nodes: usize) -> Process {
    let spread = variance(points.iter().map(|point| point.value)).max(f64::MIN_POSITIVE);
    let ranges =
        (0..).map(|k| 0.5 * f64::from(1 << k)).take_while(|&range| range <= 2.0 * nodes as f64);
    let parameters = ranges.flat_map(|range| {
        VARIANCES.into_iter().map(move |power| (spread * 2.0_f64.powi(power), range))
    });
    let processes = parameters.map(|(variance, range)| Process::new(points, variance, range));
    let best = processes.max_by(|a, b| a.log_likelihood().total_cmp(&b.log_likelihood()));
    best.expect("parameters are compared")
}

/// The width of a confidence bound after so many of so many actions, in standard deviations: the
/// root of `beta_t` of theorem 1.
pub(super) fn width(actions: usize, taken: usize) -> f64 {
    let t = taken as f64;
    let pairs = actions as f64 * t * t * std::f64::consts::PI.powi(2) / (6.0 * FAILS);
    (2.0 * pairs.ln() / SCALE).sqrt()
}

/// The variance of the noise of one duration.
pub(super) fn noise(history: &History) -> f64 {
    let mean =
        history.taken().iter().map(|(_, seconds)| seconds).sum::<f64>() / history.len() as f64;
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
        Point { at, trend, value, noise: noise / history.seconds(action).len() as f64 }
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
