//! A coarse model of a factorisation under a map of owners: an estimate of its makespan that takes
//! well under a millisecond for each thousand tiles, to rank maps before they are simulated.
//!
//! Tasks are urgent by their level: `3 k` for the one that factorises tile `(k, k)`, `2 k + i` for
//! one that solves for tile `(i, k)` or `(k, i)`, and `k + i + j` for the one that updates tile
//! `(i, j)` at iteration `k`. Three levels are a step, so that step `s` begins with factor `s`.
//! With `w_p(s)`, the area bound of the tasks of rank `p` in a step, the ends of the steps are
//!
//! ```text
//! D(s)   = max(D(s-1) + C(s), T_p(s-1) of the owner p of tile (s, s)) + its time for the factor
//! T_p(s) = max(T_p(s-1) + w_p(s), D(s-1) + C(s), L_p(s))
//! L_p(s) = max(L_p(s-1), D(s)) + its messages of step s, one after the other
//! ```
//!
//! where `C(s)` is the chain from one factor to the next: the task that solves for tile `(s, s-1)`,
//! the update of `(s, s)`, and messages between their owners. A rank that waits for nothing but its
//! own work ends when that is done, whoever else is late: urgent tasks are far ahead. Its messages
//! are counted for the whole factorisation, and spread over the steps as the panels are long.

use crate::distribution::messages::{Messages, cholesky, lu};
use crate::distribution::{Costs, Factorisation, Kind, OwnerMap, PerKind};

/// The model's estimate of the makespan, in seconds.
///
/// # Panics
/// If the map is not square, or some rank cannot run a task on a tile that it owns.
#[must_use]
pub fn coarse_makespan(map: &OwnerMap, costs: &Costs) -> f64 {
    ends(map, costs).iter().copied().fold(0.0, f64::max)
}

/// What ranks maps by this model, in seconds: its makespan and the mean time that links are busy.
/// Messages that the model takes for harmless get in each other's way.
///
/// # Panics
/// As [`coarse_makespan`].
#[must_use]
pub fn rating(map: &OwnerMap, costs: &Costs) -> f64 {
    let messages = messages(map, costs.factorisation).total() as f64;
    coarse_makespan(map, costs) + messages * costs.message_seconds / map.ranks() as f64
}

/// The rank whose tasks take its workers longest.
pub(super) fn busiest_rank(map: &OwnerMap, costs: &Costs) -> usize {
    let mut all = vec![[0; 4]; map.ranks()];
    for ranks in work_of_steps(map, costs.factorisation) {
        for (all, tasks) in all.iter_mut().zip(ranks) {
            *all = std::array::from_fn(|kind| all[kind] + tasks[kind]);
        }
    }
    let seconds = |&rank: &usize| costs.area_of_rank(&all[rank], rank);
    let more = |a: &usize, b: &usize| seconds(a).total_cmp(&seconds(b));
    (0..map.ranks()).max_by(more).expect("there is a rank")
}

/// For each rank when it ends, and at last the end of the last factor.
fn ends(map: &OwnerMap, costs: &Costs) -> Vec<f64> {
    let n = map.rows();
    let work = work_of_steps(map, costs.factorisation);
    let links = link_seconds(&messages(map, costs.factorisation), costs);
    let mut ends = vec![0.0f64; map.ranks()];
    let mut arrivals = ends.clone();
    let mut factored = 0.0f64;
    for (step, tasks) in work.iter().enumerate() {
        let waited = factored;
        if step > 0 {
            factored = (factored + chain(map, costs, step)).max(ends[map.owner(step, step)]);
        }
        let chained = factored;
        factored += costs.seconds(map.owner(step, step), Kind::Factor);
        for (rank, tasks) in tasks.iter().enumerate().filter(|(_, tasks)| **tasks != [0; 4]) {
            let panels = 2.0 * (n - step) as f64 / (n * (n + 1)) as f64;
            arrivals[rank] = waited.max(arrivals[rank]) + panels * links[rank];
            let done = ends[rank] + costs.area_of_rank(tasks, rank);
            ends[rank] = done.max(chained).max(arrivals[rank]);
        }
    }
    ends.push(factored);
    ends
}

/// For each step and rank the tasks of each kind.
fn work_of_steps(map: &OwnerMap, factorisation: Factorisation) -> Vec<Vec<PerKind<u64>>> {
    let n = map.rows();
    let mut steps = vec![vec![[0u64; 4]; map.ranks()]; n];
    for (i, j) in map.tiles() {
        let (owner, least) = (map.owner(i, j), i.min(j));
        let last = factorisation.kind(least, (i, j));
        steps[(2 * least + i.max(j)) / 3][owner][last as usize] += 1;
        if least > 0 {
            let update = factorisation.kind(0, (i, j)) as usize;
            let (first, last) = ((i + j) / 3, (i + j + least - 1) / 3);
            for (place, ranks) in steps[first..=last].iter_mut().enumerate() {
                // Levels of this step, of those from the first iteration to the last.
                let start = 3 * (first + place);
                let levels = start.max(i + j)..(start + 3).min(i + j + least);
                ranks[owner][update] += levels.len() as u64;
            }
        }
    }
    steps
}

/// What the factorisation sends.
fn messages(map: &OwnerMap, factorisation: Factorisation) -> Messages {
    match factorisation {
        Factorisation::Lu => lu(map),
        Factorisation::Cholesky => cholesky(map),
    }
}

/// How long the link of each rank is busy: the longer of what it sends and receives.
fn link_seconds(messages: &Messages, costs: &Costs) -> Vec<f64> {
    let both = messages.sent.iter().zip(&messages.received);
    both.map(|(sent, received)| *sent.max(received) as f64 * costs.message_seconds).collect()
}

/// The time from the factor before to when tile `(step, step)` can be factorised.
fn chain(map: &OwnerMap, costs: &Costs, step: usize) -> f64 {
    let before = map.owner(step - 1, step - 1);
    let (solver, updater) = (map.owner(step, step - 1), map.owner(step, step));
    let message = |from, to| if from == to { 0.0 } else { costs.message_seconds };
    let update = costs.factorisation.kind(step - 1, (step, step));
    message(before, solver)
        + costs.seconds(solver, Kind::Solve)
        + message(solver, updater)
        + costs.seconds(updater, update)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::bounds::{Work, critical_path};
    use crate::distribution::{BlockCyclic, Workers};
    use tegula_tiles::Storage;

    /// Costs of equal ranks of so many workers, all tasks 1 s.
    fn units(factorisation: Factorisation, ranks: usize, count: usize) -> Costs {
        let workers = Workers { count, seconds: [Some(1.0); 4] };
        Costs { factorisation, ranks: vec![vec![workers]; ranks], message_seconds: 0.0 }
    }

    fn map(n: usize, factorisation: Factorisation, p: usize, q: usize) -> OwnerMap {
        OwnerMap::of(&BlockCyclic { p, q }, (n, n), factorisation.storage(), p * q)
    }

    #[test]
    fn every_task_has_a_step() {
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            let map = map(11, factorisation, 2, 2);
            let steps = work_of_steps(&map, factorisation);
            let work = Work::new(&map, factorisation);
            for rank in 0..4 {
                let sum = |kind: usize| steps.iter().map(|ranks| ranks[rank][kind]).sum::<u64>();
                assert_eq!([0, 1, 2, 3].map(sum), work.of_rank(rank, 0..11));
            }
        }
    }

    #[test]
    fn one_worker_does_one_task_after_the_other() {
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            let map = map(8, factorisation, 1, 1);
            let tasks: u64 = (0..8).flat_map(|rest| factorisation.tasks(rest)).sum();
            let found = coarse_makespan(&map, &units(factorisation, 1, 1));
            assert!((found - tasks as f64).abs() <= 2.0, "{found} for {tasks}");
        }
    }

    #[test]
    fn with_workers_for_all_the_chain_is_left() {
        let map = map(9, Factorisation::Lu, 2, 2);
        let mut costs = units(Factorisation::Lu, 4, 100_000);
        let path = critical_path(&map, &costs);
        assert!((coarse_makespan(&map, &costs) - path).abs() < 0.1);
        costs.message_seconds = 10.0;
        assert!(coarse_makespan(&map, &costs) > path + 8.0 * 20.0 - 1.0);
    }

    #[test]
    fn a_rank_with_too_much_is_waited_for() {
        let fair = map(20, Factorisation::Lu, 2, 2);
        let unfair = OwnerMap::new((20, 20), Storage::Full, 4, |i, j| {
            if (i + j) % 3 == 0 { 0 } else { fair.owner(i, j) }
        });
        let costs = units(Factorisation::Lu, 4, 2);
        assert!(coarse_makespan(&unfair, &costs) > 1.2 * coarse_makespan(&fair, &costs));
        assert_eq!(busiest_rank(&unfair, &costs), 0);
    }
}
