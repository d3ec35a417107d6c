//! The simulation, event by event: ends of jobs, starts that were planned, submissions, passes.
//!
//! A job loads its file, computes, and writes what it leaves, on cores of its own, and is killed at
//! its walltime: `end = start + min(load + duration + write, walltime)`. A job of several nodes
//! loads its file on each of them. Where the file system is slower than all links together,
//! transfers share it. A file on a node is used again if a job that
//! uses it runs there, or its last user ended in this very second. If another job is loading it,
//! the rest of that load is waited for.
//!
//! When jobs have ended, a pass plans the whole queue anew; when jobs were only submitted, they are
//! planned behind the plan that stands.

mod choose;
mod lines;
mod pass;
mod queue;
mod sharing;
mod wide;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::cluster::Cluster;
use crate::cores::Cores;
use crate::holes::Holes;
use crate::job::{Job, Kind, Workload};
use crate::policy::{Policy, Situation};
use crate::residence::Residence;
use crate::rules::Rules;
use queue::Queue;
use sharing::Sharing;

/// What a simulation follows.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Who schedules.
    pub policy: &'static Policy,
    /// Whether jobs are planned into holes before others.
    pub backfill: bool,
    /// Whose rules.
    pub rules: Rules,
    /// The weight of loads, for schedulers that have one.
    pub weight: f64,
    /// A pass is made only in seconds that are multiples of this, counted from the beginning, after
    /// a job has ended or come, as published only in that very second; at once if it is 0.
    pub interval: i64,
}

/// What became of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The node, from 0.
    pub node: u32,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Seconds of its own load of its file.
    pub transfer: i64,
    /// Seconds for which it waited for another job's load of the same file.
    pub wait: i64,
}

/// What a simulation found.
#[derive(Clone, Debug)]
pub struct Run {
    /// Of each job of the log, what became of it, unless it had not started when all evaluated
    /// jobs had.
    pub outcomes: Vec<Option<Outcome>>,
    /// Passes over the queue.
    pub passes: u64,
}

/// Where a job is to run, and from when.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    score: f64,
    node: usize,
    start: i64,
    /// Seconds from the start on until the file is there.
    load: i64,
    /// Cores that it takes from holes, if it does.
    inside: Option<usize>,
}

/// What a job has on a node beside its first one.
#[derive(Clone, Debug)]
struct Part {
    node: u32,
    used: Vec<u32>,
}

/// Where the simulation stands.
struct Simulation<'a> {
    cluster: &'a Cluster,
    jobs: &'a [Job],
    options: Options,
    now: i64,
    cores: Cores,
    residence: Residence,
    holes: Holes,
    queue: Queue,
    /// Of each job, walltime and duration that are left of those that ran already.
    left: Vec<(i64, i64)>,
    /// Of each job, when its plan has it start, or since when it runs.
    start: Vec<i64>,
    node: Vec<u32>,
    used: Vec<Vec<u32>>,
    /// Of jobs of several nodes, those beside the first.
    others: HashMap<u32, Vec<Part>>,
    /// Where transfers share the file system, how far jobs are.
    sharing: Option<Sharing>,
    /// Starts by the plan of this number: time, place in the queue, job.
    starts: BinaryHeap<Reverse<(i64, u64, u32)>>,
    ends: BinaryHeap<Reverse<(i64, u32)>>,
    outcomes: Vec<Option<Outcome>>,
    to_start: usize,
    /// Cores that jobs of the present pass take from now on, as the published program counts them.
    taken_now: usize,
    passes: u64,
    /// Cores that the jobs in the queue ask for.
    queued_cores: u64,
    /// Of each node, one more than the place of the file of the job that is planned.
    place_on: Vec<u32>,
}

/// Simulates `workload` on `cluster` until all evaluated jobs have started.
///
/// # Panics
/// If a job asks for more cores than a node has, or for more nodes than there are: see
/// [`crate::log::clean`].
#[must_use]
pub fn simulate(cluster: &Cluster, workload: &Workload, options: Options) -> Run {
    let mut simulation = Simulation::new(cluster, workload, options);
    simulation.run(workload.begin());
    Run { outcomes: simulation.outcomes, passes: simulation.passes }
}

impl<'a> Simulation<'a> {
    fn new(cluster: &'a Cluster, workload: &'a Workload, options: Options) -> Self {
        let (nodes, count) = (cluster.nodes as usize, workload.jobs.len());
        for job in &workload.jobs {
            let fits = job.cores <= cluster.cores && job.nodes <= cluster.nodes;
            assert!(fits && job.duration > 0, "job {} on {cluster}", job.id);
        }
        Self {
            cluster,
            jobs: &workload.jobs,
            options,
            now: 0,
            cores: Cores::new(nodes, cluster.cores as usize, workload.begin()),
            residence: Residence::new(nodes, workload.files.len()),
            holes: Holes::new(nodes),
            queue: Queue::new(count),
            left: workload.jobs.iter().map(|job| (job.walltime, job.duration)).collect(),
            start: vec![i64::MIN; count],
            node: vec![0; count],
            used: vec![Vec::new(); count],
            others: HashMap::new(),
            sharing: cluster.shared.map(|shared| Sharing::new(cluster.bandwidth, shared, count)),
            starts: BinaryHeap::new(),
            ends: BinaryHeap::new(),
            outcomes: vec![None; count],
            to_start: workload.evaluated().count(),
            taken_now: 0,
            passes: 0,
            queued_cores: 0,
            place_on: vec![0; nodes],
        }
    }

    fn run(&mut self, begin: i64) {
        self.now = begin;
        self.place_running(begin);
        self.start_planned();
        let jobs = self.jobs;
        let mut arrivals =
            (0..jobs.len()).filter(|&job| jobs[job].kind != Kind::Running).peekable();
        // What has happened since the last pass; the published program forgets it.
        let (mut has_ended, mut has_new) = (false, false);
        while self.to_start > 0 || self.is_sharing() {
            has_ended |= self.end_jobs();
            self.start_planned();
            while let Some(job) = arrivals.next_if(|&job| jobs[job].submit <= self.now) {
                has_new = true;
                self.queued_cores += jobs[job].all_cores();
                // Those that come with an end go into the queue that is planned anew.
                self.queue.push(job as u32, !has_ended);
            }
            if self.is_pass_due(begin) {
                if has_ended && (self.queue.first().is_some() || !self.is_published()) {
                    if !self.is_published() {
                        self.queue.accept_new();
                    }
                    self.pass(None);
                } else if has_new {
                    let first = self.queue.accept_new();
                    self.pass(first);
                }
                self.start_planned();
                (has_ended, has_new) = (false, false);
            } else if self.is_published() {
                (has_ended, has_new) = (false, false);
            }
            let is_owed = has_ended || has_new;
            let interval = self.options.interval;
            let due = is_owed.then(|| begin + ((self.now - begin) / interval + 1) * interval);
            let arrival = arrivals.peek().map(|&job| jobs[job].submit);
            let (end, start) = (self.ends.peek(), self.starts.peek());
            let arrived = self.sharing.as_ref().and_then(Sharing::next);
            let next =
                [end.map(|end| end.0.0), start.map(|start| start.0.0), arrival, due, arrived];
            match next.into_iter().flatten().min() {
                Some(time) => self.now = time.max(self.now + 1),
                None => break,
            }
        }
    }

    /// Puts jobs that run already on their nodes, in the order in which they started there.
    fn place_running(&mut self, begin: i64) {
        let mut running: Vec<usize> = Vec::new();
        let since = |job: usize| self.jobs[job].ran.map_or(begin, |(_, start)| start);
        for job in (0..self.jobs.len()).filter(|&job| self.jobs[job].kind == Kind::Running) {
            // Of several that started together the first in the list may change, as published.
            let place = match running.first() {
                Some(&first) if since(first) >= since(job) => 0,
                _ => running.partition_point(|&other| since(other) <= since(job)),
            };
            running.insert(place, job);
        }
        for job in running {
            let ran_for = begin - since(job);
            let of = &self.jobs[job];
            self.left[job] = ((of.walltime - ran_for).max(1), (of.duration - ran_for).max(1));
            let node = of.ran.map_or(0, |(node, _)| node as usize) % self.cluster.nodes as usize;
            let start = self.cores.start(node, of.cores, begin);
            let mut used = std::mem::take(&mut self.used[job]);
            self.cores.take_first(node, of.cores, start + self.left[job].0, &mut used);
            self.used[job] = used;
            self.queue.push(job as u32, false);
            self.plan_start(job as u32, node, start);
        }
    }

    /// By the plan, `job` starts on `node` at `start`.
    fn plan_start(&mut self, job: u32, node: usize, start: i64) {
        self.start[job as usize] = start;
        self.node[job as usize] = node as u32;
        self.starts.push(Reverse((start, self.queue.order(job), job)));
    }

    /// Ends jobs whose time it is; returns whether there are any.
    fn end_jobs(&mut self) -> bool {
        let mut has_ended = self.end_transfers();
        while let Some(&Reverse((time, job))) = self.ends.peek() {
            if time > self.now {
                break;
            }
            self.ends.pop();
            if self.sharing.is_some() {
                has_ended |= self.step_sharing(job);
                continue;
            }
            has_ended = true;
            self.end_job(job);
        }
        has_ended
    }

    /// Gives the cores of `job` back, which ends now.
    fn end_job(&mut self, job: u32) {
        let file = self.jobs[job as usize].file;
        let first = (self.node[job as usize], std::mem::take(&mut self.used[job as usize]));
        let others = self.others.remove(&job).unwrap_or_default();
        let others = others.into_iter().map(|Part { node, used }| (node, used));
        for (node, used) in std::iter::once(first).chain(others) {
            self.cores.end(node as usize, &used);
            if let Some(file) = file {
                self.residence.end(node as usize, file, self.now);
            }
        }
    }

    /// Starts jobs that the plan has start now.
    fn start_planned(&mut self) {
        while let Some(&Reverse((time, _, job))) = self.starts.peek() {
            if time > self.now {
                break;
            }
            self.starts.pop();
            self.start_job(job as usize);
        }
    }

    fn start_job(&mut self, job: usize) {
        let (now, of, node) = (self.now, &self.jobs[job], self.node[job]);
        let (walltime, duration) = self.left[job];
        let mut nodes = vec![node];
        self.cores.begin(node as usize, now + walltime, &self.used[job]);
        for part in self.others.get(&(job as u32)).into_iter().flatten() {
            self.cores.begin(part.node as usize, now + walltime, &part.used);
            nodes.push(part.node);
        }
        self.queue.remove(job as u32);
        if of.kind != Kind::Running {
            self.queued_cores -= of.all_cores();
        }
        if of.kind == Kind::Evaluated {
            self.to_start -= 1;
        }
        if self.sharing.is_some() {
            return self.start_sharing(job as u32, &nodes);
        }
        // The slowest node counts.
        let (mut transfer, mut wait) = (0, 0);
        let seconds = self.load_seconds(of.file_gb);
        for (node, file) in nodes.iter().filter_map(|&node| Some((node as usize, of.file?))) {
            let fetch =
                self.residence.start(node, (file, of.file_gb), (now, now + walltime), seconds);
            let own = (if fetch.loads { seconds } else { 0 }, fetch.wait);
            if own.0 + own.1 > transfer + wait {
                (transfer, wait) = own;
            }
        }
        let write = self.load_seconds(of.output_gb);
        let end = now + walltime.min(transfer + wait + duration + write);
        self.ends.push(Reverse((end, job as u32)));
        self.outcomes[job] = Some(Outcome { node, start: now, end, transfer, wait });
    }

    /// Seconds that a load of so many gigabytes takes.
    fn load_seconds(&self, gigabytes: f64) -> i64 {
        (gigabytes as f32 / self.cluster.bandwidth as f32) as i64
    }

    /// Whether a pass may be made now: the published program looks at the queue in seconds that
    /// are multiples of the interval, and only then sees what ended or came in that very second.
    fn is_pass_due(&self, begin: i64) -> bool {
        let interval = self.options.interval;
        interval == 0 || self.now > begin && (self.now - begin) % interval == 0
    }

    /// A pass over the queue, or over the new jobs of which one is the first.
    fn pass(&mut self, first_new: Option<u32>) {
        self.passes += u64::from(self.queue.first().is_some());
        if first_new.is_none() {
            self.cores.forget_plans();
            self.holes.clear();
            self.starts.clear();
            self.taken_now = 0;
        }
        // The published program forgets where files will be also when jobs were only submitted.
        if first_new.is_none() || self.is_published() {
            self.residence.forget_plans(self.now);
        }
        self.pass_over(first_new.or(self.queue.first()));
    }

    /// What the scheduler may know.
    fn situation(&self, running_nodes: usize, free_cores: usize) -> Situation {
        Situation {
            weight: self.options.weight,
            nodes: self.cluster.nodes as usize,
            running_nodes,
            cores: self.cluster.all_cores(),
            busy_cores: self.cluster.all_cores() - free_cores as u64,
            queued_cores: self.queued_cores,
        }
    }
}
