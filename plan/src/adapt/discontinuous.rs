//! GP-discontinuous (section 7.2.6): a Gaussian process of what an action takes beyond the bound of
//! the linear programme, with a trend along the nodes and a jump for each group of equal ones.
//!
//! The bound has the gain of more nodes in it, which the process need not learn, and leaves out
//! what cannot be faster than all nodes were. Variance and range are not fitted: with few points
//! their likelihood says too much, and a jump makes the range short.

use super::confidence::{least, noise, place, points, variance, width};
use super::process::Process;
use super::{Action, History, Space};

/// The range of the covariance, in nodes.
const RANGE: f64 = 1.0;

/// The least variance of the process, of the noise's.
const LEAST_VARIANCE: f64 = 1.0;

pub(super) fn next(space: &Space, history: &History) -> usize {
    let Some(all_seconds) = history.first(space.all()) else { return space.all() };
    let can_win = |action: usize| action == space.all() || space.bound(action) < all_seconds;
    if let Some(action) = first(space, history, can_win) {
        return action;
    }
    let trend = Trend::of(space, history);
    let noise = noise(history);
    let row = |action: usize| (place(space.actions()[action]), trend.row(space.actions()[action]));
    let points = points(history, row, |action| space.bound(action), noise);
    let spread = variance(points.iter().map(|point| point.value));
    let process = Process::new(&points, spread.max(LEAST_VARIANCE * noise), RANGE);
    // From the most nodes on: of several that are equal, the most.
    let actions: Vec<usize> =
        (0..space.actions().len()).rev().filter(|&action| can_win(action)).collect();
    let width = width(actions.len(), history.len());
    least(actions.iter().copied(), |action| {
        let (at, row) = row(action);
        let belief = process.belief(at, &row);
        space.bound(action) + belief.mean - width * belief.deviation
    })
}

/// What is tried first, if that is not done: the fewest nodes that can win, twice the middle from
/// there to all nodes, and the end of each group, or its neighbour where that is known. Where the
/// first phase may have fewer nodes, too, the ends of its groups follow, beside the best of the
/// second so far.
fn first(space: &Space, history: &History, can_win: impl Fn(usize) -> bool) -> Option<usize> {
    let line = space.line();
    let fewest = line.iter().position(|&action| can_win(action)).expect("all nodes can");
    let middle = line[usize::midpoint(fewest, line.len() - 1)];
    match history.len() {
        1 => return Some(line[fewest]),
        2 | 3 => return Some(middle),
        _ => {}
    }
    // What came after these four, each in its turn.
    let mut done = history.taken()[4..].iter();
    let mut turn = |action: usize| done.next().is_none().then_some(action);
    let known = [space.all(), line[fewest], middle];
    let ends = &space.ends()[..space.ends().len() - 1];
    for place in ends.iter().map(|&end| space.place(end)).filter(|&place| place >= fewest) {
        let place = if known.contains(&line[place]) { place + 1 } else { place };
        if let Some(action) = turn(line[place]) {
            return Some(action);
        }
    }
    let taken = history.taken().iter().map(|&(action, _)| action);
    let of_line = |action: &usize| space.actions()[*action].first == space.nodes();
    let best = space.actions()[history.best(taken.filter(of_line))].second;
    let beside = |&end: &usize| {
        let wanted = Action { first: end, second: best };
        space.actions().iter().position(|&action| action == wanted)
    };
    ends.iter().filter_map(beside).filter(|&action| can_win(action)).find_map(turn)
}

/// Columns of the trend: the nodes of each phase that varies, and for each group of the phase
/// whether the last node is of it.
///
/// The second phase's groups are all there, and stand for the mean; of the first phase's the last
/// is left out. A group without a duration has no column.
struct Trend<'a> {
    space: &'a Space,
    first_varies: bool,
    firsts: Vec<usize>,
    seconds: Vec<usize>,
}

impl<'a> Trend<'a> {
    fn of(space: &'a Space, history: &History) -> Self {
        let tried = || history.tried().map(|action| space.actions()[action]);
        let groups = |nodes: fn(Action) -> usize| {
            let mut groups: Vec<usize> = tried().map(|action| space.group(nodes(action))).collect();
            groups.sort_unstable();
            groups.dedup();
            groups
        };
        let mut firsts = groups(|action| action.first);
        firsts.pop();
        let first_varies = tried().any(|action| action.first != space.nodes());
        Self { space, first_varies, firsts, seconds: groups(|action| action.second) }
    }

    fn row(&self, action: Action) -> Vec<f64> {
        let of = |nodes: usize| {
            let group = self.space.group(nodes);
            move |&other: &usize| f64::from(u8::from(other == group))
        };
        let mut row = vec![action.second as f64];
        row.extend(self.seconds.iter().map(of(action.second)));
        if self.first_varies {
            row.push(action.first as f64);
        }
        row.extend(self.firsts.iter().map(of(action.first)));
        row
    }
}
