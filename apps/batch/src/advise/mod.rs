//! In which order and on which nodes a user's own jobs wait least for their files, on a cluster
//! that knows nothing of these: what a scheduler that heeds files would do, and whole files on
//! nodes, can be asked for, job by job (`sbatch --nodelist`).
//!
//! The jobs are taken to be submitted at once, and to take their durations; copies stay on their
//! nodes until the last job. Tried are the order of the list and the jobs of one file after those
//! of another, the most work first, each under every scheduler, and two ways to place whole files
//! (`whole`). Each is replayed (`replay`): taken is what ends first or little later, and waits
//! least for files.

mod replay;
mod whole;

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::cluster::Cluster;
use crate::engine::{Options, simulate};
use crate::job::{Job, Kind, Workload};
use crate::policy::{POLICIES, Policy};
use crate::rules::Rules;
pub use replay::Fate;
use replay::{Placed, replay};

/// The weight of loads of the schedulers that have one.
const WEIGHT: f64 = 500.0;
/// Ends that are this share later than the first count as equal.
const LITTLE: f64 = 0.02;

/// A schedule of all jobs.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// How jobs were ordered.
    pub order: &'static str,
    /// Who placed them: a scheduler, or how whole files were.
    pub placement: &'static str,
    /// Jobs, by their places in the list, in the order in which they start.
    pub jobs: Vec<usize>,
    /// What becomes of each job of the list.
    pub fates: Vec<Fate>,
    /// Seconds that jobs wait for files.
    pub waiting: f64,
    /// Copies of files that are made.
    pub copies: usize,
    /// When the last one ends, in seconds after submission.
    pub end: f64,
}

/// What is advised, beside what happens without.
#[derive(Clone, Debug)]
pub struct Advice {
    /// First come, first served, in the order of the list.
    pub listed: Schedule,
    /// The best that was found; it may be no better.
    pub advised: Schedule,
}

/// Finds out what to do with the `jobs` on `cluster`, whose file system gives `all` gigabytes per
/// second to all nodes together.
///
/// # Panics
/// If a job asks for more cores than a node has: see [`crate::log::clean`].
#[must_use]
pub fn advise(cluster: &Cluster, all: f64, workload: &Workload) -> Advice {
    let jobs = &workload.jobs;
    let orders: [(&'static str, Vec<usize>); 2] =
        [("as listed", (0..jobs.len()).collect()), ("by file", by_file(cluster, jobs))];
    let listed = orders[0].1.iter().map(|&job| (job, None)).collect::<Vec<Placed>>();
    let listed = Schedule::of((cluster, all), jobs, ("as listed", "Slurm"), &listed);
    let mut found = Vec::new();
    for (name, order) in &orders {
        for &policy in POLICIES {
            let placed = placed(cluster, workload, order, policy);
            found.push(Schedule::of((cluster, all), jobs, (name, policy.name), &placed));
        }
    }
    for (name, placed) in whole::ways(cluster, jobs) {
        found.push(Schedule::of((cluster, all), jobs, ("by file", name), &placed));
    }
    let first = found.iter().fold(listed.end, |first, one| first.min(one.end));
    found.retain(|one| one.end <= (1.0 + LITTLE) * first);
    let rank = |one: &Schedule| (one.waiting, one.end);
    let advised = found
        .into_iter()
        .min_by(|a, b| rank(a).0.total_cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1)));
    let advised = advised.filter(|one| rank(one) < rank(&listed));
    Advice { advised: advised.unwrap_or_else(|| listed.clone()), listed }
}

/// The places of the jobs, those of one file together, the file with the most work first; within a
/// file, and of jobs without one, in the order of the list.
fn by_file(cluster: &Cluster, jobs: &[Job]) -> Vec<usize> {
    let work = |job: &Job| i128::from(job.duration) * i128::from(job.cores);
    let mut works: HashMap<u32, i128> = HashMap::new();
    for job in jobs {
        if let Some(file) = job.file {
            let load = (job.file_gb / cluster.bandwidth) as i128;
            *works.entry(file).or_insert(load) += work(job);
        }
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    // A job without a file is by itself.
    let key = |&place: &usize| match jobs[place].file {
        Some(file) => (Reverse(works[&file]), file as usize),
        None => (Reverse(work(&jobs[place])), jobs.len() + place),
    };
    order.sort_by_key(key);
    order
}

/// Where `policy` places the jobs, which come in this order, each node's in the order in which
/// they start.
fn placed(
    cluster: &Cluster,
    workload: &Workload,
    order: &[usize],
    policy: &'static Policy,
) -> Vec<Placed> {
    let at_once = |&place: &usize| Job {
        submit: 0,
        kind: Kind::Evaluated,
        ran: None,
        ..workload.jobs[place].clone()
    };
    let all =
        Workload { jobs: order.iter().map(at_once).collect(), begin: Some(0), ..workload.clone() };
    let options =
        Options { policy, backfill: false, rules: Rules::Text, weight: WEIGHT, interval: 0 };
    let run = simulate(cluster, &all, options);
    let outcomes = run.outcomes.iter().map(|one| one.expect("all evaluated jobs start"));
    let mut starts: Vec<(i64, Placed)> = order
        .iter()
        .zip(outcomes)
        .map(|(&place, outcome)| (outcome.start, (place, Some(outcome.node))))
        .collect();
    starts.sort_by_key(|(start, _)| *start);
    starts.into_iter().map(|(_, placed)| placed).collect()
}

impl Schedule {
    /// What becomes of jobs that were placed so.
    fn of(
        (cluster, all): (&Cluster, f64),
        jobs: &[Job],
        (order, placement): (&'static str, &'static str),
        placed: &[Placed],
    ) -> Self {
        let fates = replay((cluster, all), jobs, placed);
        let mut by_start: Vec<usize> = placed.iter().map(|(job, _)| *job).collect();
        by_start.sort_by(|&a, &b| fates[a].start.total_cmp(&fates[b].start));
        let pair = |(job, fate): (&Job, &Fate)| job.file.map(|file| (file, fate.node));
        let mut copies: Vec<(u32, u32)> = jobs.iter().zip(&fates).filter_map(pair).collect();
        copies.sort_unstable();
        copies.dedup();
        let waiting = fates.iter().map(|fate| fate.waiting).sum();
        let end = fates.iter().fold(0.0, |end: f64, fate| end.max(fate.end));
        Self { order, placement, jobs: by_start, fates, waiting, copies: copies.len(), end }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn job(id: u64, file: Option<u32>, cores: u32) -> Job {
        Job {
            id,
            submit: 0,
            walltime: 1000,
            duration: 100,
            cores,
            user: 0,
            file,
            file_gb: if file.is_some() { 10.0 } else { 0.0 },
            output_gb: 0.0,
            nodes: 1,
            kind: Kind::Evaluated,
            ran: None,
        }
    }

    fn workload(jobs: Vec<Job>) -> Workload {
        let files = (0..10).map(|file: u32| file.to_string()).collect();
        Workload { jobs, users: vec![String::new()], files, begin: None }
    }

    /// Two nodes of one core; a load takes 100 seconds, as a job does.
    fn two() -> Cluster {
        Cluster { nodes: 2, cores: 1, memory_gb: 100.0, bandwidth: 0.1, shared: None }
    }

    #[test]
    fn jobs_of_two_files_go_to_a_node_each() {
        // Listed in turn such that each node gets both files in turn: a load for each job.
        let files = [0, 1, 1, 0, 0, 1, 1, 0];
        let jobs = files.iter().zip(1..).map(|(&file, id)| job(id, Some(file), 1)).collect();
        let Advice { listed, advised } = advise(&two(), 0.2, &workload(jobs));
        assert_eq!((listed.waiting, listed.end, listed.copies), (400.0, 600.0, 4));
        assert_eq!((advised.waiting, advised.end, advised.copies), (200.0, 500.0, 2));
        for (place, &file) in files.iter().enumerate() {
            assert_eq!(advised.fates[place].node, advised.fates[file as usize].node, "job {place}");
        }
    }

    #[test]
    fn without_files_the_list_stands() {
        let jobs = (1..=5).map(|id| job(id, None, 1)).collect();
        let advice = advise(&two(), 0.2, &workload(jobs));
        assert_eq!(advice.advised.jobs, [0, 1, 2, 3, 4]);
        assert_eq!((advice.advised.waiting, advice.advised.end), (0.0, 300.0));
    }

    proptest! {
        #[test]
        fn every_job_is_placed_once_and_nothing_is_worse(
            kinds in prop::collection::vec((prop::option::of(0u32..5), 1u32..4), 1..40),
            nodes in 1u32..5,
        ) {
            let jobs: Vec<Job> =
                kinds.iter().zip(1..).map(|(&(file, cores), id)| job(id, file, cores)).collect();
            let cluster = Cluster { nodes, cores: 4, memory_gb: 100.0, bandwidth: 0.1, shared: None };
            let Advice { listed, advised } = advise(&cluster, 0.15, &workload(jobs.clone()));
            let mut places = advised.jobs.clone();
            places.sort_unstable();
            prop_assert_eq!(places, (0..jobs.len()).collect::<Vec<_>>());
            prop_assert!(advised.waiting <= listed.waiting);
            prop_assert!(advised.end <= (1.0 + LITTLE) * listed.end);
            prop_assert!(advised.fates.iter().all(|one| one.node < nodes && one.end > one.start));
        }
    }
}
