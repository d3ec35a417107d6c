//! What there is to choose from.

/// How many nodes, from the fastest on, take part in the first phase and in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// In the first phase, such as the generation of a matrix.
    pub first: usize,
    /// In the second, such as its factorisation.
    pub second: usize,
}

/// The actions of a cluster, and what is known of them before anything runs.
///
/// Nodes are numbered from 1, fastest first, in groups of equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    ends: Vec<usize>,
    actions: Vec<Action>,
    bounds: Vec<f64>,
    line: Vec<usize>,
}

impl Space {
    /// The space of `actions` over groups of equal nodes that end with the nodes `ends`.
    ///
    /// `bounds` has what each action costs at least, such as the seconds that a linear programme
    /// without a network expects.
    ///
    /// # Panics
    /// If no action has all nodes in both phases, ends do not grow, or there are not as many bounds
    /// as actions.
    #[must_use]
    pub fn new(ends: Vec<usize>, actions: Vec<Action>, bounds: Vec<f64>) -> Self {
        assert!(ends.is_sorted_by(|a, b| a < b), "groups follow each other: {ends:?}");
        assert_eq!(actions.len(), bounds.len(), "a bound for each action");
        let all = *ends.last().expect("there is a group");
        let of_line = |&index: &usize| actions[index].first == all;
        let mut line: Vec<usize> = (0..actions.len()).filter(of_line).collect();
        line.sort_by_key(|&index| actions[index].second);
        let last = line.last().map(|&index| actions[index].second);
        assert_eq!(last, Some(all), "one action has all nodes in both phases");
        Self { ends, actions, bounds, line }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.ends[self.ends.len() - 1]
    }

    /// The last node of each group of equal ones.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The group of a node.
    #[must_use]
    pub fn group(&self, node: usize) -> usize {
        self.ends.partition_point(|&end| end < node)
    }

    /// Every action.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// What an action costs at least.
    #[must_use]
    pub fn bound(&self, action: usize) -> f64 {
        self.bounds[action]
    }

    /// The actions that leave all nodes to the first phase, from the fewest nodes of the second on.
    #[must_use]
    pub fn line(&self) -> &[usize] {
        &self.line
    }

    /// The action with all nodes in both phases.
    #[must_use]
    pub fn all(&self) -> usize {
        self.line[self.line.len() - 1]
    }

    /// The place on the line of the fewest nodes that are at least `nodes`.
    pub(super) fn place(&self, nodes: usize) -> usize {
        self.line.partition_point(|&action| self.actions[action].second < nodes)
    }
}

/// The numbers of nodes to choose from where groups of equal ones end with the nodes `ends`: 1,
/// multiples of `every`, and the ends of groups with their neighbours.
///
/// # Panics
/// If there is no group.
#[must_use]
pub fn counts(ends: &[usize], every: usize) -> Vec<usize> {
    let all = ends[ends.len() - 1];
    let is_taken = |&n: &usize| {
        let is_border = ends.iter().any(|&end| end.abs_diff(n) <= 1);
        n == 1 || n % every == 0 || is_border
    };
    (1..=all).filter(is_taken).collect()
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn borders_are_among_the_counts() {
        assert_eq!(counts(&[2, 4], 1), [1, 2, 3, 4]);
        assert_eq!(counts(&[6, 36], 10), [1, 5, 6, 7, 10, 20, 30, 35, 36]);
    }
}
