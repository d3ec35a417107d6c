//! What a run came to: of each job, of each session of a user, and in all.

use std::collections::HashMap;

use crate::cluster::Cluster;
use crate::engine::{Outcome, Run};
use crate::job::{Job, Kind, Workload};

/// A user's jobs of which each is submitted at most so many seconds after the one before are a
/// session.
const SESSION: i64 = 300;
/// The least reference of a bounded stretch, in seconds.
const LEAST_REFERENCE: f64 = 300.0;

/// A job that is evaluated, as it ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Its name in the log.
    pub id: u64,
    /// When it was submitted.
    pub submit: i64,
    /// Its cores.
    pub cores: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// Its flow, from submission to end, over what it takes alone with its file to load.
    pub stretch: f64,
    /// The same over 300 s at least.
    pub bounded_stretch: f64,
    /// Its session, from 0.
    pub session: u32,
}

impl Measured {
    /// Seconds from submission to end.
    #[must_use]
    pub fn flow(&self) -> i64 {
        self.outcome.end - self.submit
    }

    /// Seconds from submission to start.
    #[must_use]
    pub fn queued(&self) -> i64 {
        self.outcome.start - self.submit
    }

    /// Seconds for which it waited for its file.
    #[must_use]
    pub fn waited(&self) -> i64 {
        self.outcome.transfer + self.outcome.wait
    }

    /// Its cores by the seconds for which it had them.
    #[must_use]
    pub fn core_seconds(&self) -> i64 {
        i64::from(self.cores) * (self.outcome.end - self.outcome.start)
    }
}

/// The jobs of `run` that are evaluated, in the order of the log.
#[must_use]
pub fn measure(cluster: &Cluster, workload: &Workload, run: &Run) -> Vec<Measured> {
    let sessions = sessions(workload);
    let jobs = workload.jobs.iter().zip(&run.outcomes).zip(sessions);
    let measured = jobs.filter(|((job, _), _)| job.kind == Kind::Evaluated);
    let measured = measured.filter_map(|((job, outcome), session)| {
        let outcome = (*outcome)?;
        let reference = reference(cluster, job);
        let flow = (outcome.end - job.submit) as f64;
        Some(Measured {
            id: job.id,
            submit: job.submit,
            cores: (job.all_cores()).min(u32::MAX.into()) as u32,
            outcome,
            stretch: flow / reference,
            bounded_stretch: flow / reference.max(LEAST_REFERENCE),
            session,
        })
    });
    measured.collect()
}

/// Seconds that a job takes alone, with its file to load and what it leaves to write.
fn reference(cluster: &Cluster, job: &Job) -> f64 {
    let gigabytes = job.file.map_or(0.0, |_| job.file_gb) + job.output_gb;
    gigabytes / cluster.bandwidth + job.duration as f64
}

/// The session of each job; those that are not evaluated are in session 0, which says nothing.
fn sessions(workload: &Workload) -> Vec<u32> {
    let mut latest: HashMap<u32, (i64, u32)> = HashMap::new();
    let mut count = 0;
    let session = |job: &Job| {
        if job.kind != Kind::Evaluated {
            return 0;
        }
        let session = match latest.get(&job.user) {
            Some(&(time, session)) if job.submit - time <= SESSION => session,
            _ => {
                count += 1;
                count - 1
            }
        };
        latest.insert(job.user, (job.submit, session));
        session
    };
    workload.jobs.iter().map(session).collect()
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Jobs that are evaluated.
    pub jobs: usize,
    /// Sessions of them.
    pub sessions: usize,
    /// Seconds for which jobs waited for their files, loads of their own included.
    pub waiting_for_files_seconds: i64,
    /// Seconds of loads.
    pub transfer_seconds: i64,
    /// Cores by the seconds for which jobs had them.
    pub core_seconds: i64,
    /// Mean and greatest time from submission to end.
    pub flow: (f64, i64),
    /// Mean and greatest time from submission to start.
    pub queue: (f64, i64),
    /// Mean, median and greatest stretch.
    pub stretch: (f64, f64, f64),
    /// Mean of stretches over 300 s at least.
    pub bounded_stretch: f64,
    /// Median over the sessions of the sum of their jobs' stretches over their number.
    pub session_stretch: f64,
    /// Jobs that had no load of their own.
    pub reuses: usize,
}

/// Sums up `jobs`.
#[must_use]
pub fn summary(jobs: &[Measured]) -> Summary {
    let sum = |of: fn(&Measured) -> i64| jobs.iter().map(of).sum::<i64>();
    let most = |of: fn(&Measured) -> i64| jobs.iter().map(of).max().unwrap_or(0);
    let count = jobs.len().max(1) as f64;
    let stretches: Vec<f64> = jobs.iter().map(|job| job.stretch).collect();
    let sessions = session_stretches(jobs);
    let means: Vec<f64> = sessions.values().map(|(sum, count)| sum / *count as f64).collect();
    Summary {
        jobs: jobs.len(),
        sessions: sessions.len(),
        waiting_for_files_seconds: sum(Measured::waited),
        transfer_seconds: sum(|job| job.outcome.transfer),
        core_seconds: sum(Measured::core_seconds),
        flow: (sum(Measured::flow) as f64 / count, most(Measured::flow)),
        queue: (sum(Measured::queued) as f64 / count, most(Measured::queued)),
        stretch: (
            stretches.iter().sum::<f64>() / count,
            quantile(&stretches, 0.5),
            stretches.iter().copied().fold(0.0, f64::max),
        ),
        bounded_stretch: jobs.iter().map(|job| job.bounded_stretch).sum::<f64>() / count,
        session_stretch: quantile(&means, 0.5),
        reuses: jobs.iter().filter(|job| job.outcome.transfer == 0).count(),
    }
}

/// Of each session the sum of its jobs' stretches, and their number.
#[must_use]
pub fn session_stretches(jobs: &[Measured]) -> HashMap<u32, (f64, usize)> {
    let mut sessions: HashMap<u32, (f64, usize)> = HashMap::new();
    for job in jobs {
        let (sum, count) = sessions.entry(job.session).or_default();
        *sum += job.stretch;
        *count += 1;
    }
    sessions
}

/// The number below which a part of `values` lies, by a line between neighbours; 0 of none.
#[must_use]
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = part * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// What the cluster is used for at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The time in seconds.
    pub time: i64,
    /// Cores of jobs that run.
    pub running: i64,
    /// Cores that jobs in the queue ask for.
    pub queued: i64,
    /// Cores of running jobs that have to load their file, or to wait for another job's load.
    pub loading: i64,
}

/// The usage at `points` times, evenly over the jobs that have started.
#[must_use]
pub fn usage(workload: &Workload, run: &Run, points: usize) -> Vec<Usage> {
    let mut changes: Vec<(i64, [i64; 3])> = Vec::new();
    let started = workload.jobs.iter().zip(&run.outcomes);
    for (job, outcome) in started.filter_map(|(job, outcome)| Some((job, (*outcome)?))) {
        let cores = i64::from(job.cores);
        if job.kind != Kind::Running {
            changes.push((job.submit.min(outcome.start), [0, cores, 0]));
            changes.push((outcome.start, [0, -cores, 0]));
        }
        let loaded = outcome.end.min(outcome.start + outcome.transfer + outcome.wait);
        changes.push((outcome.start, [cores, 0, cores]));
        changes.push((loaded, [0, 0, -cores]));
        changes.push((outcome.end, [-cores, 0, 0]));
    }
    changes.sort_by_key(|change| change.0);
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return Vec::new() };
    let (begin, end, count) = (first.0, last.0, points.max(2) as i64);
    let mut left = changes.iter().peekable();
    let mut now = [0; 3];
    let at = |point: i64| {
        let time = begin + (end - begin) * point / (count - 1);
        while let Some((_, change)) = left.next_if(|change| change.0 <= time) {
            now.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
        }
        let [running, queued, loading] = now;
        Usage { time, running, queued, loading }
    };
    (0..count).map(at).collect()
}

/// One run beside another, which is the base.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// By what part of the base the time waiting for files is less; below 0 if it is more.
    pub waiting_reduction: f64,
    /// The same of core time.
    pub core_reduction: f64,
    /// Of each session of both that differs by 1 % or more, the base's stretch over this one's, in
    /// ascending order: above 1 is better than the base.
    pub ratios: Vec<f64>,
    /// The part of the sessions that do.
    pub differing: f64,
}

/// Compares the jobs of a run with those of the base.
#[must_use]
pub fn compare(base: &[Measured], other: &[Measured]) -> Comparison {
    let reduction = |of: fn(&Measured) -> i64| {
        let (base, other): (i64, i64) = (base.iter().map(of).sum(), other.iter().map(of).sum());
        if base == 0 { 0.0 } else { 1.0 - other as f64 / base as f64 }
    };
    let (sessions, others) = (session_stretches(base), session_stretches(other));
    let ratio = |(session, (sum, _)): (&u32, &(f64, usize))| {
        others.get(session).map(|(other, _)| sum / other)
    };
    let all: Vec<f64> = sessions.iter().filter_map(ratio).collect();
    let mut ratios: Vec<f64> =
        all.iter().copied().filter(|ratio| !(0.99..=1.01).contains(ratio)).collect();
    ratios.sort_by(f64::total_cmp);
    Comparison {
        waiting_reduction: reduction(Measured::waited),
        core_reduction: reduction(Measured::core_seconds),
        differing: ratios.len() as f64 / all.len().max(1) as f64,
        ratios,
    }
}
