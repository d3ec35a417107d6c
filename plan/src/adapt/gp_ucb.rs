//! GP-UCB (section 7.2.5): a Gaussian process with an unknown constant mean, and the least lower
//! confidence bound (N. Srinivas, A. Krause, S. Kakade, M. Seeger, "Gaussian process optimization
//! in the bandit setting", ICML 2010, with the sign that seconds have).

use super::confidence::{least, noise, place, points, variance, width};
use super::process::{Point, Process};
use super::{History, Space};

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
