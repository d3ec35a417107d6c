//! Right-Left and Left-Right (section 7.2.2): on to the next count as long as it was faster, by one
//! duration of each.

use super::{History, Space};

/// From all nodes down.
pub(super) fn from_all(space: &Space, history: &History) -> usize {
    walk(space.line().iter().rev().copied(), history)
}

/// From the fewest nodes up.
pub(super) fn from_fewest(space: &Space, history: &History) -> usize {
    walk(space.line().iter().copied(), history)
}

fn walk(mut line: impl Iterator<Item = usize>, history: &History) -> usize {
    let mut best = line.next().expect("there are all nodes");
    for next in line {
        match (history.first(best), history.first(next)) {
            (None, _) => break,
            (_, None) => return next,
            (Some(seconds), Some(next_seconds)) if next_seconds < seconds => best = next,
            _ => break,
        }
    }
    best
}
