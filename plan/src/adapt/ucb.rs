//! UCB (section 7.2.4): every count once, then the least lower confidence bound of the mean
//! (P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed bandit problem",
//! Machine Learning 47 (2002), with the sign that seconds have). UCB-struct knows only the counts
//! with which groups of equal nodes end.

use std::iter::once;

use super::{History, Space};

/// The width of a bound in standard deviations of one cost, and the least of those, in seconds
/// where these are the cost: the thesis prints neither.
const WIDTH: f64 = 2.0;
const LEAST_DEVIATION: f64 = 0.25;

/// Of all actions.
pub(super) fn next(space: &Space, history: &History) -> usize {
    // All nodes first, as everybody would without this.
    least(once(space.all()).chain(0..space.actions().len()), history)
}

/// Of the ends of groups.
pub(super) fn next_of_ends(space: &Space, history: &History) -> usize {
    let line = space.line();
    let ends = space.ends().iter().rev().map(|&end| line[space.place(end)]);
    least(ends, history)
}

fn least(arms: impl Iterator<Item = usize> + Clone, history: &History) -> usize {
    if let Some(new) = arms.clone().find(|&arm| history.costs(arm).is_empty()) {
        return new;
    }
    let deviation = history.noise().unwrap_or(0.0).sqrt().max(LEAST_DEVIATION);
    let width = WIDTH * deviation * (history.len() as f64).ln().sqrt();
    let bound = |arm: usize| {
        let count = history.costs(arm).len() as f64;
        history.mean(arm).expect("each was taken") - width / count.sqrt()
    };
    arms.min_by(|&a, &b| bound(a).total_cmp(&bound(b))).expect("there are all nodes")
}
