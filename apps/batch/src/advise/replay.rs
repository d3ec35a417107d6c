//! What becomes of jobs that are submitted at once to nodes on which copies of files stay.
//!
//! Jobs that name their node start there in their order; jobs that name none start in their order,
//! each on the first node with enough free cores, as Slurm starts those of one priority. A job
//! whose file is not on its node copies it, or waits for who does. Copies under way share the link
//! of their node, and all of them what the file system gives.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::cluster::Cluster;
use crate::job::Job;

/// What becomes of a job. Times are in seconds after submission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fate {
    /// The node, from 0.
    pub node: u32,
    /// When it starts.
    pub start: f64,
    /// Seconds until its file is there.
    pub waiting: f64,
    /// When it ends.
    pub end: f64,
}

/// A job, by its place in the list, and the node that it names.
pub(super) type Placed = (usize, Option<u32>);

/// Where a file is on a node.
#[derive(Clone, Debug, Default)]
enum Copy {
    #[default]
    None,
    /// So many gigabytes are missing; these jobs wait.
    UnderWay(f64, Vec<usize>),
    There,
}

/// A number that orders times as they are, none of which is NaN or negative.
fn key(time: f64) -> u64 {
    time.to_bits()
}

/// The fates of `jobs`, each of which is placed once, where the file system gives `all` gigabytes
/// per second.
pub(super) fn replay(
    (cluster, all): (&Cluster, f64),
    jobs: &[Job],
    placed: &[Placed],
) -> Vec<Fate> {
    let nodes = cluster.nodes as usize;
    let files = jobs.iter().filter_map(|job| job.file).max().map_or(0, |file| file as usize + 1);
    let mut replay = Replay {
        jobs,
        now: 0.0,
        free: vec![cluster.cores; nodes],
        copies: vec![Copy::None; nodes * files],
        under_way: Vec::new(),
        ends: BinaryHeap::new(),
        fates: vec![Fate::default(); jobs.len()],
        files,
    };
    let mut own: Vec<VecDeque<usize>> = vec![VecDeque::new(); nodes];
    let mut anywhere = VecDeque::new();
    for &(job, node) in placed {
        match node {
            Some(node) => own[node as usize].push_back(job),
            None => anywhere.push_back(job),
        }
    }
    loop {
        for (node, queue) in own.iter_mut().enumerate() {
            while let Some(job) =
                queue.pop_front_if(|&mut job| jobs[job].cores <= replay.free[node])
            {
                replay.start(job, node);
            }
        }
        while let Some(&job) = anywhere.front() {
            let has_room = |free: &u32| jobs[job].cores <= *free;
            let Some(node) = replay.free.iter().position(has_room) else { break };
            anywhere.pop_front();
            replay.start(job, node);
        }
        if !replay.advance((cluster.bandwidth, all)) {
            return replay.fates;
        }
    }
}

struct Replay<'a> {
    jobs: &'a [Job],
    now: f64,
    /// Free cores of each node.
    free: Vec<u32>,
    /// Of file `f` on node `k`, at `f + k files`.
    copies: Vec<Copy>,
    /// Which copies are under way.
    under_way: Vec<usize>,
    /// Ends of jobs, by [`key`].
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    fates: Vec<Fate>,
    files: usize,
}

impl Replay<'_> {
    fn start(&mut self, job: usize, node: usize) {
        let of = &self.jobs[job];
        self.free[node] -= of.cores;
        self.fates[job].node = node as u32;
        self.fates[job].start = self.now;
        let Some(file) = of.file else { return self.compute(job) };
        let place = file as usize + node * self.files;
        match &mut self.copies[place] {
            Copy::There => self.compute(job),
            Copy::UnderWay(_, waiting) => waiting.push(job),
            none => {
                *none = Copy::UnderWay(of.file_gb, vec![job]);
                self.under_way.push(place);
            }
        }
    }

    /// `job` has its file. It is killed at its walltime.
    fn compute(&mut self, job: usize) {
        let (of, fate) = (&self.jobs[job], &mut self.fates[job]);
        fate.waiting = self.now - fate.start;
        fate.end = (self.now + of.duration as f64).min(fate.start + of.walltime as f64);
        fate.end = fate.end.max(self.now);
        self.ends.push(Reverse((key(fate.end), job)));
    }

    /// Goes on to the next time at which a job ends or a copy is there; false if there is none.
    fn advance(&mut self, (bandwidth, all): (f64, f64)) -> bool {
        let end = self.ends.peek().map(|Reverse((time, _))| f64::from_bits(*time) - self.now);
        let share = all / self.under_way.len().max(1) as f64;
        let mut on_node = vec![0_u32; self.free.len()];
        self.under_way.iter().for_each(|place| on_node[place / self.files] += 1);
        let rate = |place: &usize| (bandwidth / f64::from(on_node[place / self.files])).min(share);
        let rates: Vec<f64> = self.under_way.iter().map(rate).collect();
        let missing = |place: usize| match &self.copies[place] {
            Copy::UnderWay(missing, _) => *missing,
            _ => 0.0,
        };
        let copies = self.under_way.iter().zip(&rates).map(|(&place, rate)| missing(place) / rate);
        let Some(step) = copies.chain(end).min_by(f64::total_cmp) else { return false };
        self.now += step;
        let mut ready = Vec::new();
        let (now, copies) = (self.now, &mut self.copies);
        let mut index = 0;
        self.under_way.retain(|&place| {
            let rate = rates[index];
            index += 1;
            let Copy::UnderWay(missing, waiting) = &mut copies[place] else { return false };
            *missing -= rate * step;
            // Less than a microsecond is left.
            let is_there = *missing <= 1e-6 * rate;
            if is_there {
                ready.append(waiting);
                copies[place] = Copy::There;
            }
            !is_there
        });
        ready.into_iter().for_each(|job| self.compute(job));
        while let Some(&Reverse((time, job))) = self.ends.peek()
            && f64::from_bits(time) <= now
        {
            self.ends.pop();
            self.free[self.fates[job].node as usize] += self.jobs[job].cores;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::job;
    use super::*;

    #[test]
    fn copies_share_the_links_and_stay() {
        // 10 GB files, jobs of 100 s, nodes of two cores with 0.1 GB/s, all together 0.15 GB/s.
        let cluster =
            Cluster { nodes: 2, cores: 2, memory_gb: 100.0, bandwidth: 0.1, shared: None };
        let jobs = [job(1, Some(0), 1), job(2, Some(0), 1), job(3, Some(1), 1), job(4, Some(0), 1)];
        let placed = [(0, Some(0)), (1, Some(0)), (2, Some(1)), (3, Some(0))];
        let fates = replay((&cluster, 0.15), &jobs, &placed);
        // Two copies at 0.075 GB/s each; the third job of the file finds it.
        for (fate, wanted) in
            fates.iter().zip([(0.0, 133.3), (0.0, 133.3), (0.0, 133.3), (233.3, 0.0)])
        {
            assert!(
                (fate.start - wanted.0).abs() < 0.1 && (fate.waiting - wanted.1).abs() < 0.1,
                "{fates:?}"
            );
        }
        // Two copies of one node share its link; without a node jobs take the first that is free.
        let fates = replay((&cluster, 1.0), &jobs, &[(0, None), (2, None), (1, None), (3, None)]);
        assert_eq!(fates.iter().map(|fate| fate.node).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert!((fates[0].waiting - 200.0).abs() < 0.1 && (fates[1].waiting - 100.0).abs() < 0.1);
    }
}
