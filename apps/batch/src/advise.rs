//! In which order and on which nodes a user's own jobs wait least for their files, on a cluster
//! that knows nothing of these: what a scheduler that heeds files would do is found by simulation,
//! and can then be asked for, job by job (`sbatch --nodelist`).
//!
//! The jobs are taken to be submitted at once, and to take their durations. Tried are the order of
//! the list and the jobs of one file after those of another, the most work first, each under every
//! scheduler; taken is what ends first or little later, and waits least for files.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::cluster::Cluster;
use crate::engine::{Options, Outcome, simulate};
use crate::job::{Job, Kind, Workload};
use crate::policy::{POLICIES, Policy};
use crate::rules::Rules;

/// The weight of loads of the schedulers that have one.
const WEIGHT: f64 = 500.0;
/// Ends that are this share later than the first count as equal.
const LITTLE: f64 = 0.02;

/// A schedule of all jobs.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// How jobs were ordered.
    pub order: &'static str,
    /// Who placed them.
    pub policy: &'static Policy,
    /// Jobs, by their places in the list, in the order in which they start.
    pub jobs: Vec<usize>,
    /// What becomes of each job of the list.
    pub outcomes: Vec<Outcome>,
    /// Seconds that jobs wait for files, their own loads and others'.
    pub waiting: i64,
    /// When the last one ends, in seconds after submission.
    pub end: i64,
}

/// What is advised, beside what happens without.
#[derive(Clone, Debug)]
pub struct Advice {
    /// First come, first served, in the order of the list.
    pub listed: Schedule,
    /// The best that was found; it may be no better.
    pub advised: Schedule,
}

/// Finds out what to do with the `jobs` on `cluster`.
///
/// # Panics
/// If a job asks for more cores than a node has: see [`crate::log::clean`].
#[must_use]
pub fn advise(cluster: &Cluster, workload: &Workload) -> Advice {
    let jobs = &workload.jobs;
    let orders: [(&'static str, Vec<usize>); 2] =
        [("as listed", (0..jobs.len()).collect()), ("by file", by_file(cluster, jobs))];
    let listed = schedule(cluster, workload, (orders[0].0, &orders[0].1), POLICIES[0]);
    let mut found = Vec::new();
    for (name, order) in &orders {
        let of = |&policy: &&'static Policy| schedule(cluster, workload, (name, order), policy);
        found.extend(POLICIES.iter().map(of));
    }
    let first = found.iter().map(|one| one.end).min().unwrap_or(0) as f64;
    found.retain(|one| one.end as f64 <= (1.0 + LITTLE) * first);
    let advised = found.into_iter().min_by_key(|one| (one.waiting, one.end));
    let advised = advised.filter(|one| (one.waiting, one.end) < (listed.waiting, listed.end));
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

/// The jobs in this order under `policy`.
fn schedule(
    cluster: &Cluster,
    workload: &Workload,
    (name, order): (&'static str, &[usize]),
    policy: &'static Policy,
) -> Schedule {
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
    let mut outcomes = vec![Outcome::default(); order.len()];
    for (&place, outcome) in order.iter().zip(run.outcomes) {
        outcomes[place] = outcome.expect("all evaluated jobs start");
    }
    let mut jobs = order.to_vec();
    jobs.sort_by_key(|&place| outcomes[place].start);
    let waiting = outcomes.iter().map(|one| one.transfer + one.wait).sum();
    let end = outcomes.iter().map(|one| one.end).max().unwrap_or(0);
    Schedule { order: name, policy, jobs, outcomes, waiting, end }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job(id: u64, file: Option<u32>, cores: u32) -> Job {
        Job {
            id,
            submit: 0,
            walltime: 1000,
            duration: 100,
            cores,
            user: 0,
            file,
            file_gb: if file.is_some() { 10.0 } else { 0.0 },
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
        Cluster { nodes: 2, cores: 1, memory_gb: 100.0, bandwidth: 0.1 }
    }

    #[test]
    fn jobs_of_two_files_go_to_a_node_each() {
        // Listed in turn such that each node gets both files in turn: a load for each job.
        let files = [0, 1, 1, 0, 0, 1, 1, 0];
        let jobs = files.iter().zip(1..).map(|(&file, id)| job(id, Some(file), 1)).collect();
        let advice = advise(&two(), &workload(jobs));
        assert_eq!((advice.listed.waiting, advice.listed.end), (800, 800));
        assert_eq!((advice.advised.waiting, advice.advised.end), (200, 500));
        for (place, &file) in files.iter().enumerate() {
            let node = advice.advised.outcomes[place].node;
            assert_eq!(node, advice.advised.outcomes[file as usize].node, "job {place}");
        }
    }

    #[test]
    fn without_files_the_list_stands() {
        let jobs = (1..=5).map(|id| job(id, None, 1)).collect();
        let advice = advise(&two(), &workload(jobs));
        assert_eq!(advice.advised.jobs, [0, 1, 2, 3, 4]);
        assert_eq!((advice.advised.waiting, advice.advised.end), (0, 300));
    }

    proptest! {
        #[test]
        fn every_job_is_placed_once_and_nothing_is_worse(
            kinds in prop::collection::vec((prop::option::of(0u32..5), 1u32..4), 1..40),
            nodes in 1u32..5,
        ) {
            let jobs: Vec<Job> =
                kinds.iter().zip(1..).map(|(&(file, cores), id)| job(id, file, cores)).collect();
            let cluster = Cluster { nodes, cores: 4, memory_gb: 100.0, bandwidth: 0.1 };
            let Advice { listed, advised } = advise(&cluster, &workload(jobs.clone()));
            let mut places = advised.jobs.clone();
            places.sort_unstable();
            prop_assert_eq!(places, (0..jobs.len()).collect::<Vec<_>>());
            prop_assert!(advised.waiting <= listed.waiting);
            prop_assert!(advised.end as f64 <= (1.0 + LITTLE) * listed.end as f64);
            prop_assert!(advised.outcomes.iter().all(|one| one.node < nodes && one.end > one.start));
        }
    }
}
