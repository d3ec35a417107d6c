//! How far each rank was with its own work when, which ranks were equally far, and how far all
//! could have been.

use crate::clusters::clusters;
use crate::means::Means;
use tegula_runtime::trace::{TaskRecord, Trace};

/// How far groups of ranks are apart in their work, as suits runs whose ranks have many tasks:
/// section 8.2.2 of the source of [`Progression::of`].
pub const BANDWIDTH: f64 = 0.01;

/// How far something was over time: the share of its work whose tasks had ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// When tasks ended, in nanoseconds, in order.
    ends: Vec<u64>,
    /// The share of the work that was done then, that task's included.
    shares: Vec<f64>,
}

/// How far each rank was over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progression {
    /// Numbers of the ranks that have work, in order, and how far each was.
    pub ranks: Vec<(usize, Progress)>,
    /// How far all workers together were, as if they were those of one rank.
    pub whole: Progress,
}

/// Ranks that were equally far.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Their numbers, in order.
    pub ranks: Vec<usize>,
    /// The mean of how far they were, from 0 to 1.
    pub share: f64,
}

/// The ranks at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When, in nanoseconds.
    pub time: u64,
    /// Groups of ranks that were equally far, the last first.
    pub clusters: Vec<Cluster>,
}

impl Progress {
    /// Of tasks that ended at a time and are of a codelet, each of which counts its weight; none if
    /// that comes to nothing.
    fn new(mut tasks: Vec<(u64, usize)>, weights: &[f64]) -> Option<Self> {
        tasks.sort_unstable();
        let all: f64 = tasks.iter().map(|&(_, codelet)| weights[codelet]).sum();
        let mut done = 0.0;
        let mut share = |&(_, codelet): &(u64, usize)| {
            done += weights[codelet];
            (done / all).min(1.0)
        };
        let mut shares: Vec<f64> = tasks.iter().map(&mut share).collect();
        *shares.last_mut()? = 1.0;
        let ends = tasks.into_iter().map(|(end, _)| end).collect();
        (all > 0.0).then_some(Self { ends, shares })
    }

    /// The share of the work, from 0 to 1, that is done at `time`, in nanoseconds.
    #[must_use]
    pub fn at(&self, time: u64) -> f64 {
        let ended = self.ends.partition_point(|&end| end <= time);
        ended.checked_sub(1).map_or(0.0, |last| self.shares[last])
    }
}

impl Progression {
    /// The ranks at `steps` times until `makespan`, in nanoseconds, at equal distances, in groups
    /// that are as far apart as [`clusters`] says of this `bandwidth`.
    #[must_use]
    pub fn steps(&self, makespan: u64, steps: usize, bandwidth: f64) -> Vec<Step> {
        let time = |step: usize| (u128::from(makespan) * step as u128 / steps as u128) as u64;
        (1..=steps).map(|step| self.step(time(step), bandwidth)).collect()
    }

    fn step(&self, time: u64, bandwidth: f64) -> Step {
        let shares: Vec<f64> = self.ranks.iter().map(|(_, progress)| progress.at(time)).collect();
        let cluster = |members: Vec<usize>| {
            let sum: f64 = members.iter().map(|&i| shares[i]).sum();
            let share = sum / members.len() as f64;
            let mut ranks: Vec<usize> = members.into_iter().map(|i| self.ranks[i].0).collect();
            ranks.sort_unstable();
            Cluster { ranks, share }
        };
        let clusters = clusters(&shares, bandwidth).into_iter().map(cluster).collect();
        Step { time, clusters }
    }
}

impl Progression {
    /// How far each rank was over time: of its tasks that succeeded, those that had ended, each
    /// counted with the time `W` that its rank takes for tasks of that codelet if all its workers
    /// that can run them do nothing else, one after the other: `1 / W` is the sum over these
    /// workers of `1 / w`, `w` the mean duration on their class. So ranks of any workers can be
    /// compared.
    ///
    /// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 8.2.1, equations 8.2 and 8.3,
    /// with durations as this trace has them.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let means = Means::of(trace);
        let rank_of = |record: &TaskRecord| trace.site.rank_of(record.worker);
        let work = |rank: usize| {
            let weights = means.weights(|other| other == rank);
            Progress::new(means.done(trace, |record| rank_of(record) == rank), &weights)
        };
        let ranks = (0..trace.rank_count()).filter_map(|rank| Some((rank, work(rank)?))).collect();
        let whole = Progress::new(means.done(trace, |_| true), &means.weights(|_| true));
        Self { ranks, whole: whole.unwrap_or_default() }
    }
}

/// For each of `times`, in nanoseconds and in order, the earliest second at which what had ended by
/// then could have: the area bounds, by the means of this trace, of the tasks that ended between
/// one time and the next, one after the other.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 8.2.3.
#[must_use]
pub fn balanced_by_step(trace: &Trace, times: &[u64]) -> Vec<f64> {
    let means = Means::of(trace);
    let (mut before, mut sum) = (means.count(trace, |_| false), 0.0);
    let mut step = |&time: &u64| {
        let ended = means.count(trace, |record| record.end <= time);
        let new: Vec<u64> = ended.iter().zip(&before).map(|(now, then)| now - then).collect();
        before = ended;
        sum += means.balanced(&new, |_| true).unwrap_or(0.0);
        sum
    };
    times.iter().map(&mut step).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::balanced_seconds;
    use tegula_runtime::trace::{Outcome, Records, Site};

    /// Tasks of rank, worker of that rank (0 and 1 a core, 2 a device), codelet, start and length,
    /// on ranks of two cores and a device.
    fn trace(ranks: usize, tasks: &[(usize, usize, &'static str, u64, u64)]) -> Trace {
        let site = Site {
            workers: vec![String::new(); 3 * ranks],
            classes: ["cpu", "cpu", "cuda"].repeat(ranks).into_iter().map(str::to_owned).collect(),
            ranks: (0..3 * ranks).map(|worker| worker / 3).collect(),
            uncertainties: vec![0; ranks],
            ..Site::default()
        };
        let record = |(task, &(rank, worker, codelet, start, length)): (u64, &(_, _, _, _, _))| {
            let (worker, end, outcome) = (3 * rank + worker, start + length, Outcome::Done);
            let (phase, job, priority, iteration, spot, after) = (0, 0, 0, 0, None, 0);
            #[rustfmt::skip]
            let record = TaskRecord {
                task, codelet, phase, job, worker, priority, iteration, spot, after, start,
                end, outcome,
            };
            record
        };
        let tasks = (0..).zip(tasks).map(record).collect();
        Trace::new(Records { tasks, ..Records::default() }, site, &["none"])
    }

    #[test]
    fn tasks_count_as_long_as_their_rank_takes() {
        // On rank 0 two cores take 40 of a, so W = 20, and alone 10 of b, beside a device of 5: W =
        // 2.5.
        let run = trace(
            2,
            &[
                (0, 0, "a", 0, 40),
                (0, 1, "b", 0, 10),
                (0, 2, "b", 10, 5),
                (1, 0, "a", 0, 80),
                (1, 0, "a", 80, 80),
            ],
        );
        let progression = Progression::of(&run);
        let (rank, progress) = &progression.ranks[0];
        assert_eq!((*rank, progress.at(0), progress.at(9)), (0, 0.0, 0.0));
        assert_eq!([10, 15, 39].map(|time| progress.at(time)), [0.1, 0.2, 0.2]);
        assert_eq!([40, 1000].map(|time| progress.at(time)), [1.0; 2]);
        assert_eq!([79, 80, 160].map(|time| progression.ranks[1].1.at(time)), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn a_rank_that_falls_behind_is_a_cluster_of_its_own() {
        let length = |rank: usize| if rank == 2 { 20 } else { 10 };
        let task = |i: usize| (i % 4, 0, "a", (i / 4) as u64 * length(i % 4), length(i % 4));
        let run = trace(5, &(0..400).map(task).collect::<Vec<_>>());
        let progression = Progression::of(&run);
        assert_eq!(progression.ranks.len(), 4, "rank 4 has no work");
        let steps = progression.steps(run.makespan(), 20, 0.01);
        assert_eq!((steps.len(), steps[19].time), (20, 2000));
        let ranks = |step: &Step| -> Vec<Vec<usize>> {
            step.clusters.iter().map(|cluster| cluster.ranks.clone()).collect()
        };
        for step in &steps[..19] {
            assert_eq!(ranks(step), [vec![2], vec![0, 1, 3]], "at {}", step.time);
        }
        assert!((steps[4].clusters[0].share - 0.25).abs() < 1e-12, "{:?}", steps[4]);
        assert_eq!((ranks(&steps[19]), steps[19].clusters[0].share), (vec![vec![0, 1, 2, 3]], 1.0));
    }

    #[test]
    fn what_could_have_been_done_follows_from_steps() {
        // On six cores and a device 20 tasks of 10: the first half of them on one core.
        let task = |i: u64| (0, 0, "a", 10 * i, 10);
        let run = trace(2, &(0..20).map(task).collect::<Vec<_>>());
        let bound = balanced_by_step(&run, &[0, 100, 200]);
        let cores = 4.0;
        for (found, expected) in bound.iter().zip([0.0, 100e-9 / cores, 200e-9 / cores]) {
            assert!((found - expected).abs() <= 1e-6 * expected, "{found} against {expected}");
        }
        assert_eq!(Progression::of(&Trace::default()), Progression::default());
        assert_eq!(balanced_by_step(&Trace::default(), &[0, 0]), [0.0; 2]);
    }

    proptest! {
        #[test]
        fn progress_grows_from_nothing_to_all(
            tasks in prop::collection::vec((0..4usize, 0..3usize, 0..3usize, 0..500u64, 0..99u64), 1..80),
        ) {
            let name = |codelet: usize| ["a", "b", "c"][codelet];
            let tasks: Vec<_> = tasks.into_iter().map(|(r, w, c, s, l)| (r, w, name(c), s, l)).collect();
            let run = trace(4, &tasks);
            let progression = Progression::of(&run);
            let all = progression.ranks.iter().map(|(_, progress)| progress);
            for progress in all.chain([&progression.whole]) {
                let shares: Vec<f64> = (0..700).map(|time| progress.at(time)).collect();
                prop_assert!(shares.is_sorted() && shares.iter().all(|s| (0.0..=1.0).contains(s)));
            }
            for (_, progress) in &progression.ranks {
                prop_assert_eq!(progress.at(run.makespan()), 1.0);
            }
            let present: Vec<usize> = progression.ranks.iter().map(|&(rank, _)| rank).collect();
            for step in progression.steps(run.makespan(), 5, 0.05) {
                let mut ranks: Vec<usize> = Vec::new();
                step.clusters.iter().for_each(|cluster| ranks.extend(&cluster.ranks));
                ranks.sort_unstable();
                prop_assert_eq!(&ranks, &present);
                prop_assert!(step.clusters.is_sorted_by(|a, b| a.share <= b.share));
            }
        }

        /// A bound by parts is not below that of the whole, nor above the run itself.
        #[test]
        fn bounds_of_steps_add_up(
            tasks in prop::collection::vec((0..2usize, 0..3usize, 1..99u64), 1..60),
        ) {
            let mut free = [0; 6];
            let mut place = |&(rank, worker, length): &(usize, usize, u64)| {
                let start = free[3 * rank + worker];
                free[3 * rank + worker] += length;
                (rank, worker, "a", start, length)
            };
            let run = trace(2, &tasks.iter().map(&mut place).collect::<Vec<_>>());
            let all = run.makespan();
            let bound = balanced_by_step(&run, &[all / 3, all / 2, all]);
            prop_assert!(bound.is_sorted());
            let whole = balanced_seconds(&run).expect("tasks ran");
            prop_assert!(bound[2] >= whole * (1.0 - 1e-6), "{} against {whole}", bound[2]);
            prop_assert!(balanced_by_step(&run, &[all])[0] <= run.makespan_seconds() * (1.0 + 1e-6));
        }
    }
}
