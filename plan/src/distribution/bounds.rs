//! Bounds of a factorisation under a map of owners: of the work of each rank at each iteration, and
//! of the longest chain of its tasks and messages.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, sections 4.2.2 (ABE and CPB), 5.3.1 (at each
//! iteration) and 5.3.2 (CABE and SABE).

use std::ops::Range;

use super::costs::{Factorisation, Kind, PerKind};
use super::{Costs, OwnerMap};

/// For each iteration and rank the tasks of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work(pub Vec<Vec<PerKind<u64>>>);

impl Work {
    /// The tasks of `factorisation` under `map`: each runs on the owner of the tile that it writes.
    ///
    /// # Panics
    /// If the map is not square.
    #[must_use]
    pub fn new(map: &OwnerMap, factorisation: Factorisation) -> Self {
        let n = map.rows();
        assert_eq!(n, map.columns(), "rows and columns of tiles");
        let mut iterations = vec![vec![[0; 4]; map.ranks()]; n];
        // Tasks on the tiles right of and below column and row k.
        let mut updates = vec![[0; 4]; map.ranks()];
        for k in (0..n).rev() {
            iterations[k].clone_from(&updates);
            for (i, j) in cross(factorisation, k, n) {
                let owner = map.owner(i, j);
                iterations[k][owner][factorisation.kind(k, (i, j)) as usize] += 1;
                let update = if i == j { Kind::Square } else { Kind::Update };
                let update = if factorisation == Factorisation::Lu { Kind::Update } else { update };
                updates[owner][update as usize] += 1;
            }
        }
        Self(iterations)
    }

    /// The tasks of `rank` in these iterations.
    #[must_use]
    pub fn of_rank(&self, rank: usize, iterations: Range<usize>) -> PerKind<u64> {
        sum(self.0[iterations].iter().map(|ranks| ranks[rank]))
    }

    /// The tasks of an iteration.
    #[must_use]
    pub fn of_iteration(&self, k: usize) -> PerKind<u64> {
        sum(self.0[k].iter().copied())
    }

    /// ABE: the area bound of all tasks on all workers, in seconds.
    #[must_use]
    pub fn area(&self, costs: &Costs) -> f64 {
        let all = sum((0..self.0.len()).map(|k| self.of_iteration(k)));
        costs.area(&all, 0..costs.ranks.len())
    }

    /// For each rank the area bound of its tasks on its own workers.
    #[must_use]
    pub fn area_of_ranks(&self, costs: &Costs) -> Vec<f64> {
        let all = 0..self.0.len();
        let of = |rank| costs.area_of_rank(&self.of_rank(rank, all.clone()), rank);
        (0..costs.ranks.len()).map(of).collect()
    }

    /// ABE(k): for each iteration the area bound of its tasks on all workers.
    #[must_use]
    pub fn area_of_iterations(&self, costs: &Costs) -> Vec<f64> {
        let of = |k| costs.area(&self.of_iteration(k), 0..costs.ranks.len());
        (0..self.0.len()).map(of).collect()
    }

    /// For each iteration `k` and rank `p` the area bound of the tasks of `p` on its own workers
    /// (ABE-IN).
    #[must_use]
    pub fn area_of_parts(&self, costs: &Costs) -> Vec<Vec<f64>> {
        let of = |tasks: &Vec<PerKind<u64>>| {
            tasks.iter().enumerate().map(|(rank, tasks)| costs.area_of_rank(tasks, rank)).collect()
        };
        self.0.iter().map(of).collect()
    }
}

fn sum(tasks: impl Iterator<Item = PerKind<u64>>) -> PerKind<u64> {
    tasks.fold([0; 4], |sum, tasks| std::array::from_fn(|kind| sum[kind] + tasks[kind]))
}

/// The tiles of the trailing matrix at iteration `k` that are in its first row or column.
pub(super) fn cross(
    factorisation: Factorisation,
    k: usize,
    n: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let right = if factorisation == Factorisation::Lu { k + 1..n } else { n..n };
    (k..n).map(move |i| (i, k)).chain(right.map(move |j| (k, j)))
}

/// SABE: from the bounds of each rank at each iteration, their sums over some iterations.
#[must_use]
pub fn section(areas: &[Vec<f64>], iterations: Range<usize>) -> Vec<f64> {
    cumulative(&areas[iterations]).pop().unwrap_or_default()
}

/// CABE: from the bounds of each rank at each iteration, their sums up to each iteration.
#[must_use]
pub fn cumulative(areas: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let add = |sums: &mut Vec<f64>, areas: &Vec<f64>| {
        sums.resize(areas.len(), 0.0);
        sums.iter_mut().zip(areas).for_each(|(sum, area)| *sum += area);
        Some(sums.clone())
    };
    areas.iter().scan(Vec::new(), add).collect()
}

/// The imbalance at each iteration: the largest less the smallest of the sums of all ranks.
#[must_use]
pub fn imbalance(cumulative: &[Vec<f64>]) -> Vec<f64> {
    let spread = |sums: &Vec<f64>| {
        let most = sums.iter().copied().fold(0.0, f64::max);
        most - sums.iter().copied().fold(most, f64::min)
    };
    cumulative.iter().map(spread).collect()
}

/// CPB: the time of the longest chain of tasks, each on the fastest worker of the rank that has it,
/// and of messages between tasks of different ranks, in seconds.
///
/// # Panics
/// If the map is not square.
#[must_use]
pub fn critical_path(map: &OwnerMap, costs: &Costs) -> f64 {
    let n = map.rows();
    assert_eq!(n, map.columns(), "rows and columns of tiles");
    let mut ends = Ends(vec![vec![0.0; n]; n]);
    (0..n).for_each(|k| ends.advance(k, |i, j| map.owner(i, j), costs));
    ends.last()
}

/// CPB(k): the time of the longest chain of one iteration of a factorisation alone, after which
/// `rest` rows of tiles are left, if tile `(i, j)` of those that it works on has this owner.
pub(super) fn path_of_iteration(
    rest: usize,
    owner: impl Fn(usize, usize) -> usize,
    costs: &Costs,
) -> f64 {
    let mut ends = Ends(vec![vec![0.0; rest + 1]; rest + 1]);
    ends.advance(0, owner, costs);
    ends.last()
}

/// For each tile when the last task so far on it ends.
struct Ends(Vec<Vec<f64>>);

impl Ends {
    /// Appends the tasks of iteration `k`.
    fn advance(&mut self, k: usize, owner: impl Fn(usize, usize) -> usize, costs: &Costs) {
        let n = self.0.len();
        let factorisation = costs.factorisation;
        let rest = (k + 1..n).flat_map(|i| {
            let end = if factorisation == Factorisation::Lu { n } else { i + 1 };
            (k + 1..end).map(move |j| (i, j))
        });
        for (i, j) in cross(factorisation, k, n).chain(rest) {
            let here = owner(i, j);
            let arrival = |(i, j): (usize, usize)| {
                let message = if owner(i, j) == here { 0.0 } else { costs.message_seconds };
                self.0[i][j] + message
            };
            let kind = factorisation.kind(k, (i, j));
            let beside = if factorisation == Factorisation::Lu { (k, j) } else { (j, k) };
            let read = match kind {
                Kind::Factor => 0.0,
                Kind::Solve => arrival((k, k)),
                Kind::Square => arrival((i, k)),
                Kind::Update => arrival((i, k)).max(arrival(beside)),
            };
            self.0[i][j] = self.0[i][j].max(read) + costs.seconds(here, kind);
        }
    }

    fn last(&self) -> f64 {
        self.0.iter().flatten().copied().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::Powers;

    /// Costs of equal ranks with one worker each, all tasks 1 s.
    fn units(factorisation: Factorisation, ranks: usize, message_seconds: f64) -> Costs {
        let workers = super::super::Workers { count: 1, seconds: [Some(1.0); 4] };
        Costs { factorisation, ranks: vec![vec![workers]; ranks], message_seconds }
    }

    proptest! {
        #[test]
        fn every_task_is_counted_once(n in 1usize..12, ranks in 1usize..5, step in 1usize..7) {
            for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
                let owner = |i: usize, j: usize| (i * step + j) % ranks;
                let map = OwnerMap::new((n, n), factorisation.storage(), ranks, owner);
                let work = Work::new(&map, factorisation);
                for k in 0..n {
                    prop_assert_eq!(work.of_iteration(k), factorisation.tasks(n - 1 - k));
                }
                let costs = units(factorisation, ranks, 0.0);
                let parts = work.area_of_parts(&costs);
                let sums = cumulative(&parts);
                let areas = work.area_of_ranks(&costs);
                for rank in 0..ranks {
                    prop_assert!((sums[n - 1][rank] - areas[rank]).abs() < 1e-6);
                }
                let least = areas.iter().sum::<f64>() / ranks as f64;
                prop_assert!((work.area(&costs) - least).abs() < 1e-6);
                let most = |k: usize| parts[k].iter().copied().fold(0.0, f64::max);
                let bounds = work.area_of_iterations(&costs);
                prop_assert!((0..n).all(|k| bounds[k] <= most(k) + 1e-6));
            }
        }
    }

    #[test]
    fn the_longest_chain_has_three_tasks_for_each_step() {
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            let map = OwnerMap::new((6, 6), factorisation.storage(), 2, |_, _| 0);
            assert_eq!(critical_path(&map, &units(factorisation, 2, 9.0)), 3.0 * 5.0 + 1.0);
            // The diagonal is with one rank, the rest with the other: two messages for each step.
            let map = OwnerMap::new((6, 6), factorisation.storage(), 2, |i, j| usize::from(i != j));
            assert_eq!(critical_path(&map, &units(factorisation, 2, 9.0)), 16.0 + 9.0 * 10.0);
        }
    }

    #[test]
    fn imbalance_is_the_difference_of_the_sums() {
        let sums = cumulative(&[vec![1.0, 2.0], vec![4.0, 1.0]]);
        assert_eq!(sums, [[1.0, 2.0], [5.0, 3.0]]);
        assert_eq!(imbalance(&sums), [1.0, 2.0]);
        assert_eq!(section(&[vec![1.0, 2.0], vec![4.0, 1.0], vec![1.0, 1.0]], 1..3), [5.0, 2.0]);
    }

    #[test]
    fn a_rank_of_half_the_power_takes_twice_as_long() {
        let powers = Powers::new(vec![1.0, 2.0]).expect("they are positive");
        let costs = Costs::of_powers(&powers, Factorisation::Lu);
        let tasks = [1, 4, 0, 9];
        let (slow, fast) = (costs.area(&tasks, [0]), costs.area(&tasks, [1]));
        assert!((slow / fast - 2.0).abs() < 1e-9);
        let both = 1.0 / (1.0 / slow + 1.0 / fast);
        assert!((costs.area(&tasks, [0, 1]) - both).abs() < 1e-6 * both);
    }
}
