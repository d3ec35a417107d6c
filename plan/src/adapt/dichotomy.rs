//! Dichotomy (section 7.2.1, "divide and conquer"): the middles of both halves are tried once each,
//! and the half whose middle is slower is left.

use super::{History, Space};

pub(super) fn next(space: &Space, history: &History) -> usize {
    let line = space.line();
    let (mut low, mut high) = (0, line.len() - 1);
    while low < high {
        let middle = usize::midpoint(low, high);
        let halves = [(low, middle), (middle + 1, high)];
        let middles = halves.map(|(low, high)| line[usize::midpoint(low, high)]);
        let [Some(left), Some(right)] = middles.map(|action| history.first(action)) else {
            let unknown = middles.into_iter().find(|&action| history.first(action).is_none());
            return unknown.expect("one is not known");
        };
        (low, high) = if left < right { halves[0] } else { halves[1] };
    }
    line[low]
}
