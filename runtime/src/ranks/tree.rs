//! Trees down which one rank's datum reaches many.

use super::Rank;

/// Shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The source serves all, one after the other.
    Star,
    /// Each rank that has the datum serves as many as are left, halved each time: the fewest rounds
    /// for a datum that is sent whole.
    Binomial,
    /// Each serves the next, part by part: for data of many parts, which all links carry at once.
    Chain,
}

/// Data of at least so many parts go down a chain.
const CHAIN_PARTS: usize = 4;
/// Receivers up to which the source serves all itself.
const STAR: usize = 2;

impl Shape {
    /// For so many `receivers` of a datum of so many `parts`.
    #[must_use]
    pub fn of(receivers: usize, parts: usize) -> Self {
        if receivers < STAR {
            Self::Star
        } else if parts >= CHAIN_PARTS {
            Self::Chain
        } else if receivers > STAR {
            Self::Binomial
        } else {
            Self::Star
        }
    }
}

/// A receiver with the label that it receives under, and those that it serves, each with theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The receiver.
    pub rank: Rank,
    /// Its label.
    pub label: u32,
    /// Those below it, the first of whom are its own.
    pub below: Vec<Branch>,
}

/// The tree of `shape` over `receivers`, the most urgent first: who is served by the source, in
/// this order.
#[must_use]
pub fn tree(shape: Shape, receivers: &[(Rank, u32)]) -> Vec<Branch> {
    let leaf = |&(rank, label): &(Rank, u32)| Branch { rank, label, below: Vec::new() };
    match shape {
        Shape::Star => receivers.iter().map(leaf).collect(),
        Shape::Chain => receivers.first().map_or_else(Vec::new, |first| {
            vec![Branch { below: tree(shape, &receivers[1..]), ..leaf(first) }]
        }),
        Shape::Binomial => {
            // The source keeps half of those who are left, and gives the other half to the first.
            let mut branches = Vec::new();
            let mut rest = receivers;
            while let Some((first, others)) = rest.split_first() {
                let (kept, given) = others.split_at(others.len() - others.len() / 2);
                branches.push(Branch { below: tree(shape, given), ..leaf(first) });
                rest = kept;
            }
            branches
        }
    }
}

/// The branches of a list of receivers in preorder, each with the number of those below it.
#[must_use]
pub(super) fn unfold(mut list: &[(Rank, u32, u16)]) -> Vec<Branch> {
    let mut branches = Vec::new();
    while let Some((&(rank, label, below), rest)) = list.split_first() {
        let (own, others) = rest.split_at(usize::from(below).min(rest.len()));
        branches.push(Branch { rank, label, below: unfold(own) });
        list = others;
    }
    branches
}

/// The list that [`unfold`] reads.
#[must_use]
pub(super) fn fold(branches: &[Branch]) -> Vec<(Rank, u32, u16)> {
    let mut list = Vec::new();
    for branch in branches {
        let below = fold(&branch.below);
        list.push((branch.rank, branch.label, below.len() as u16));
        list.extend(below);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds until the last receiver has a datum that each sends whole, to one at a time.
    fn rounds(branches: &[Branch]) -> usize {
        let turn = |(place, branch): (usize, &Branch)| place + 1 + rounds(&branch.below);
        branches.iter().enumerate().map(turn).max().unwrap_or(0)
    }

    #[test]
    fn everybody_is_served_once() {
        for count in 0..70u16 {
            let receivers: Vec<(Rank, u32)> =
                (0..count).map(|rank| (Rank(rank), 100 + u32::from(rank))).collect();
            for shape in [Shape::Star, Shape::Binomial, Shape::Chain] {
                let branches = tree(shape, &receivers);
                let list = fold(&branches);
                assert_eq!(unfold(&list), branches);
                let mut served: Vec<_> =
                    list.iter().map(|&(rank, label, _)| (rank, label)).collect();
                served.sort_unstable();
                assert_eq!(served, receivers, "{shape:?}");
                let expected = match shape {
                    Shape::Star | Shape::Chain => usize::from(count),
                    Shape::Binomial => {
                        (usize::from(count) + 1).next_power_of_two().ilog2() as usize
                    }
                };
                assert_eq!(rounds(&branches), expected, "{shape:?} of {count}");
            }
        }
    }

    #[test]
    fn the_most_urgent_is_served_first() {
        let receivers: Vec<(Rank, u32)> = (0..9).map(|rank| (Rank(rank), 0)).collect();
        for shape in [Shape::Star, Shape::Binomial, Shape::Chain] {
            assert_eq!(tree(shape, &receivers)[0].rank, Rank(0));
        }
    }
}
