//! Mean durations of codelets on the workers of one class of one rank, and what the area bound
//! makes of them: how long the work of a run takes if it is divided as well as can be.

use tegula_bounds::{TaskType, area};
use tegula_runtime::trace::{Outcome, TaskRecord, Trace};

/// Workers of one class on one rank: equally fast, while those of a class of that name on another
/// rank may not be, since nodes differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankClass {
    /// Number of the rank.
    pub rank: usize,
    /// Name of the class.
    pub class: String,
    /// Its workers.
    pub workers: usize,
}

/// Mean durations in a trace.
pub(super) struct Means {
    pub(super) classes: Vec<RankClass>,
    /// For each record the position of its codelet.
    codelet_of: Vec<usize>,
    /// For each codelet and each of the classes the seconds of a task; none: it cannot run there.
    pub(super) seconds: Vec<Vec<Option<f64>>>,
}

impl Means {
    /// The means of the tasks of `trace` that succeeded. A class of a rank that ran none of a
    /// codelet takes the mean of the classes of its name on other ranks; if these ran none either,
    /// it cannot.
    pub(super) fn of(trace: &Trace) -> Self {
        let (names, codelet_of) = trace.codelets();
        let (classes, class_of) = rank_classes(trace);
        let mut totals = vec![vec![(0u64, 0.0); classes.len()]; names.len()];
        for (record, &codelet) in trace.records.iter().zip(&codelet_of) {
            if record.outcome == Outcome::Done {
                let total = &mut totals[codelet][class_of[record.worker]];
                *total = (total.0 + 1, total.1 + record.seconds());
            }
        }
        let seconds = totals.iter().map(|totals| means(&classes, totals)).collect();
        Self { classes, codelet_of, seconds }
    }

    /// Of the tasks of `trace` that succeeded and are `wanted`, the end in nanoseconds and the
    /// position of the codelet.
    pub(super) fn done(
        &self,
        trace: &Trace,
        wanted: impl Fn(&TaskRecord) -> bool,
    ) -> Vec<(u64, usize)> {
        let all = trace.records.iter().zip(&self.codelet_of);
        let done = all.filter(|(record, _)| record.outcome == Outcome::Done && wanted(record));
        done.map(|(record, &codelet)| (record.end, codelet)).collect()
    }

    /// How many these are of each codelet.
    pub(super) fn count(&self, trace: &Trace, wanted: impl Fn(&TaskRecord) -> bool) -> Vec<u64> {
        let mut tasks = vec![0; self.seconds.len()];
        self.done(trace, wanted).into_iter().for_each(|(_, codelet)| tasks[codelet] += 1);
        tasks
    }

    /// For each codelet the seconds from one task of it to the next if all workers of the ranks
    /// that are `wanted` that can run it do nothing else; nothing if none can.
    pub(super) fn weights(&self, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let rate = |(class, seconds): (&RankClass, &Option<f64>)| match *seconds {
            Some(seconds) if wanted(class.rank) => class.workers as f64 / seconds,
            _ => 0.0,
        };
        let weight = |seconds: &Vec<Option<f64>>| {
            let rate: f64 = self.classes.iter().zip(seconds).map(rate).sum();
            if rate > 0.0 { 1.0 / rate } else { 0.0 }
        };
        self.seconds.iter().map(weight).collect()
    }

    /// The area bound in seconds of so many `tasks` of each codelet on the workers of the ranks
    /// that are `wanted`; none if there are no tasks.
    pub(super) fn balanced(&self, tasks: &[u64], wanted: impl Fn(usize) -> bool) -> Option<f64> {
        let on = |class: &&RankClass| wanted(class.rank);
        let workers: Vec<usize> = self.classes.iter().filter(on).map(|c| c.workers).collect();
        let kind = |(&tasks, seconds): (&u64, &Vec<Option<f64>>)| {
            let seconds = self.classes.iter().zip(seconds).filter(|(class, _)| on(class));
            TaskType { tasks, seconds: seconds.map(|(_, &seconds)| seconds).collect() }
        };
        let types = tasks.iter().zip(&self.seconds).filter(|(tasks, _)| **tasks > 0);
        let types: Vec<TaskType> = types.map(kind).collect();
        if types.is_empty() { None } else { area(&types, &workers).map(|bound| bound.seconds) }
    }
}

/// The mean on each class of the tasks and seconds that a codelet had there.
fn means(classes: &[RankClass], totals: &[(u64, f64)]) -> Vec<Option<f64>> {
    let mean = |(tasks, seconds): (u64, f64)| (tasks > 0).then(|| seconds / tasks as f64);
    let of_name = |name: &str| {
        let alike = classes.iter().zip(totals).filter(|(class, _)| class.class == name);
        mean(alike.fold((0, 0.0), |sum, (_, total)| (sum.0 + total.0, sum.1 + total.1)))
    };
    let own = classes.iter().zip(totals);
    own.map(|(class, &total)| mean(total).or_else(|| of_name(&class.class))).collect()
}

/// The workers by rank and class, in order of ranks and then of first workers, and for each worker
/// the position of its own.
#[must_use]
pub fn rank_classes(trace: &Trace) -> (Vec<RankClass>, Vec<usize>) {
    let (names, class_of) = trace.classes();
    let mut order: Vec<usize> = (0..trace.workers).collect();
    order.sort_by_key(|&worker| trace.site.rank_of(worker));
    let mut classes: Vec<RankClass> = Vec::new();
    let mut of = vec![0; trace.workers];
    for worker in order {
        let (rank, class) = (trace.site.rank_of(worker), &names[class_of[worker]]);
        let is_own = |other: &RankClass| other.rank == rank && other.class == *class;
        of[worker] = classes.iter().rposition(is_own).unwrap_or_else(|| {
            classes.push(RankClass { rank, class: class.clone(), workers: 0 });
            classes.len() - 1
        });
        classes[of[worker]].workers += 1;
    }
    (classes, of)
}

/// Time of the tasks that succeeded if they were divided as well as can be (see [`area`]) among the
/// workers, each with the mean duration that its codelet had in this trace on the class of the
/// worker, of its rank if it ran there at all. A codelet that never ran on a class counts as one
/// that cannot: where it could, another run may take less. None if nothing ran.
#[must_use]
pub fn balanced_seconds(trace: &Trace) -> Option<f64> {
    let means = Means::of(trace);
    means.balanced(&means.count(trace, |_| true), |_| true)
}

/// The same for each rank by itself: its own tasks on its own workers.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.2, the area bound per node.
#[must_use]
pub fn balanced_by_rank(trace: &Trace) -> Vec<Option<f64>> {
    let means = Means::of(trace);
    let of_rank = |rank: usize| {
        let tasks = means.count(trace, |record| trace.site.rank_of(record.worker) == rank);
        means.balanced(&tasks, |other| other == rank)
    };
    (0..trace.rank_count()).map(of_rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::task;
    use tegula_runtime::trace::{Records, Site};

    /// Two ranks: a fast and a slow core on each, and on the second rank a device as well. Tasks of
    /// 1 ms on the cores of rank 0, of 2 ms on those of rank 1, of 0.5 ms on the device.
    fn unequal() -> Trace {
        let classes = ["cpu", "cpu", "cpu", "cuda", "cpu"].map(str::to_owned).to_vec();
        let site = Site {
            workers: classes.clone(),
            classes,
            ranks: vec![0, 0, 1, 1, 1],
            uncertainties: vec![0; 2],
            ..Site::default()
        };
        let record = |(number, (worker, length)): (u64, (usize, u64))| TaskRecord {
            codelet: "gemm",
            ..task((number, worker, 0, 0, length))
        };
        let lengths = [(0, 1_000_000), (1, 1_000_000), (2, 2_000_000), (3, 500_000)];
        let tasks = (0..).zip(lengths).map(record).collect();
        Trace::new(Records { tasks, ..Records::default() }, site, &["none"])
    }

    #[test]
    fn classes_of_ranks_are_kept_apart() {
        let (classes, of) = rank_classes(&unequal());
        let found: Vec<_> = classes.iter().map(|c| (c.rank, c.class.as_str(), c.workers)).collect();
        assert_eq!(found, [(0, "cpu", 2), (1, "cpu", 2), (1, "cuda", 1)]);
        assert_eq!(of, [0, 0, 1, 2, 1]);
    }

    #[test]
    fn each_rank_has_its_own_times() {
        let trace = unequal();
        let means = Means::of(&trace);
        assert_eq!(means.seconds, [[Some(1e-3), Some(2e-3), Some(5e-4)]]);
        let close = |found: Option<f64>, expected: f64| {
            let found = found.expect("tasks ran");
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} against {expected}");
        };
        // Rank 0: two tasks of 1 ms on two cores. Rank 1: two on cores of 500/s each and a device
        // of 2000/s.
        close(balanced_by_rank(&trace)[0], 1e-3);
        close(balanced_by_rank(&trace)[1], 2.0 / 3000.0);
        close(balanced_seconds(&trace), 4.0 / 5000.0);
    }

    #[test]
    fn a_class_that_ran_none_takes_the_times_of_its_name() {
        let mut trace = unequal();
        trace.records.retain(|record| record.worker != 2);
        assert_eq!(Means::of(&trace).seconds, [[Some(1e-3), Some(1e-3), Some(5e-4)]]);
        trace.records.retain(|record| record.worker == 3);
        assert_eq!(Means::of(&trace).seconds, [[None, None, Some(5e-4)]]);
        assert_eq!(balanced_by_rank(&trace)[0], None);
        trace.records.clear();
        assert_eq!(balanced_seconds(&trace), None);
    }
}
