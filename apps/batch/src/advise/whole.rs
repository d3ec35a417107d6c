//! Whole files on nodes: all jobs of a file on one node, or on as few as the balance needs.
//!
//! Two ways. The largest first, each to the node with the least work (R. L. Graham, "Bounds on
//! multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969) 416-429): one copy of each
//! file. Or one node after the other filled up with its share, the file that does not fit going on
//! on the next (R. McNaughton, "Scheduling with deadlines and loss functions", Management Science 6
//! (1959) 1-12): no node has more work than another, and there is at most a copy for each node
//! more. In both a file is fetched by its first job while jobs of the file before still compute.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::replay::Placed;
use crate::cluster::Cluster;
use crate::job::Job;

/// The jobs of a file on one node, or a job without one.
type Unit = Vec<usize>;

/// The ways to place `jobs`, with their names.
pub(super) fn ways(cluster: &Cluster, jobs: &[Job]) -> [(&'static str, Vec<Placed>); 2] {
    let units = units(cluster, jobs);
    [
        ("whole files", in_order(cluster, jobs, &largest_first(cluster, jobs, &units))),
        ("whole files, shared out", in_order(cluster, jobs, &filled(cluster, jobs, &units))),
    ]
}

fn work(job: &Job) -> f64 {
    job.duration as f64 * f64::from(job.cores)
}

/// The most work first.
fn units(cluster: &Cluster, jobs: &[Job]) -> Vec<Unit> {
    let (mut units, mut of_file): (Vec<Unit>, HashMap<u32, usize>) = (Vec::new(), HashMap::new());
    for (place, job) in jobs.iter().enumerate() {
        let unit = match job.file {
            Some(file) => *of_file.entry(file).or_insert(units.len()),
            None => units.len(),
        };
        if unit == units.len() {
            units.push(Vec::new());
        }
        units[unit].push(place);
    }
    let cost = |unit: &Unit| unit_work(cluster, jobs, unit) as u64;
    units.sort_by_key(|unit| Reverse(cost(unit)));
    units
}

/// What the jobs of a unit and the copy of their file keep busy, in seconds of cores.
fn unit_work(cluster: &Cluster, jobs: &[Job], unit: &Unit) -> f64 {
    let first = &jobs[unit[0]];
    let copy = first.file_gb / cluster.bandwidth * f64::from(first.cores);
    copy + unit.iter().map(|&place| work(&jobs[place])).sum::<f64>()
}

fn largest_first(cluster: &Cluster, jobs: &[Job], units: &[Unit]) -> Vec<Vec<Unit>> {
    let mut nodes = vec![(0.0_f64, Vec::new()); cluster.nodes as usize];
    for unit in units {
        let least = nodes.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are nodes");
        least.0 += unit_work(cluster, jobs, unit);
        least.1.push(unit.clone());
    }
    nodes.into_iter().map(|(_, units)| units).collect()
}

fn filled(cluster: &Cluster, jobs: &[Job], units: &[Unit]) -> Vec<Vec<Unit>> {
    let all: f64 = units.iter().map(|unit| unit_work(cluster, jobs, unit)).sum();
    let share = all / f64::from(cluster.nodes);
    let mut nodes = vec![Vec::new(); cluster.nodes as usize];
    let (mut node, mut done) = (0, 0.0);
    for unit in units {
        let mut part = Unit::new();
        for &place in unit {
            // The job goes where its middle lies.
            if done + 0.5 * work(&jobs[place]) > share * (node + 1) as f64 && node + 1 < nodes.len()
            {
                if !part.is_empty() {
                    nodes[node].push(std::mem::take(&mut part));
                }
                node += 1;
            }
            if part.is_empty() {
                done += unit_work(cluster, jobs, &vec![place]) - work(&jobs[place]);
            }
            done += work(&jobs[place]);
            part.push(place);
        }
        nodes[node].push(part);
    }
    nodes
}

/// One unit after the other on each node, the first job of each ahead of as many of those before as
/// may run at the same time.
fn in_order(cluster: &Cluster, jobs: &[Job], nodes: &[Vec<Unit>]) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (node, units) in nodes.iter().enumerate() {
        let mut queue: Vec<usize> = Vec::new();
        for unit in units {
            let at_once = (cluster.cores / jobs[unit[0]].cores.max(1)).max(1) as usize;
            // Not ahead of the first job of the unit before.
            let ahead = queue.len().saturating_sub(at_once - 1).max(queue.len().min(1));
            queue.insert(ahead, unit[0]);
            queue.extend(&unit[1..]);
        }
        placed.extend(queue.into_iter().map(|job| (job, Some(node as u32))));
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::super::tests::job;
    use super::*;

    #[test]
    fn files_are_cut_only_where_the_balance_needs_it() {
        let cluster =
            Cluster { nodes: 2, cores: 1, memory_gb: 100.0, bandwidth: 1.0, shared: None };
        let jobs: Vec<Job> = (0..9).map(|k| job(k + 1, Some(k as u32 / 3), 1)).collect();
        let [(_, whole), (_, shared)] = ways(&cluster, &jobs);
        let of =
            |placed: &[Placed], job: usize| placed.iter().find(|one| one.0 == job).expect("it").1;
        let copies = |placed: &[Placed]| {
            let mut pairs: Vec<_> =
                placed.iter().map(|&(job, node)| (jobs[job].file, node)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs.len()
        };
        assert_eq!((whole.len(), copies(&whole)), (9, 3));
        assert_eq!((shared.len(), copies(&shared)), (9, 4));
        let first = (0..9).filter(|&job| of(&shared, job) == Some(0)).count();
        assert!((4..=5).contains(&first), "{shared:?}");
    }

    #[test]
    fn the_next_file_is_fetched_while_jobs_of_the_one_before_compute() {
        let cluster =
            Cluster { nodes: 1, cores: 2, memory_gb: 100.0, bandwidth: 1.0, shared: None };
        let jobs: Vec<Job> = (0..6).map(|k| job(k + 1, Some(k as u32 / 3), 1)).collect();
        let [(_, whole), _] = ways(&cluster, &jobs);
        let order: Vec<usize> = whole.iter().map(|one| one.0).collect();
        assert_eq!(order, [0, 1, 3, 2, 4, 5]);
    }
}
