//! Workloads drawn from a seed: bursts of users over nine days, of which the middle seven are
//! evaluated.
//!
//! The shares of cores and walltimes are those of a day of the log of Rackham (UPPMAX) that the
//! thesis of M. Gonthier uses; about 13 jobs share a file, 1.3 % are killed at their walltime.

use crate::cluster::Cluster;
use crate::job::{Job, Kind, Workload};

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Jobs in all nine days.
    pub jobs: usize,
    /// Work that is offered over the work that the cluster can do in that time.
    pub load: f64,
    /// Users.
    pub users: usize,
    /// Jobs of a burst, on average.
    pub burst: f64,
    /// Share of the bursts whose jobs take from 2 to 8 whole nodes.
    pub wide: f64,
    /// What a job writes, over what it reads.
    pub output: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { jobs: 100_000, load: 1.0, users: 200, burst: 13.0, wide: 0.0, output: 0.0, seed: 0 }
    }
}

/// Seconds of a day.
pub const DAY: i64 = 86_400;
/// Days that are drawn; the first and the last are not evaluated.
pub const DAYS: i64 = 9;
/// Jobs that are submitted within this time of the first of their burst share its file.
const SAME_FILE: i64 = 800;
/// The power that makes jobs shortest: see [`duration`].
const SHORTEST: f64 = 40.0;
/// Part of the jobs that is killed.
const KILLED: f64 = 0.013;
/// Most nodes of a job.
const WIDEST: u32 = 8;
/// Cores, with their shares.
const CORES: &[(u32, f64)] = &[
    (1, 56.0),
    (2, 7.0),
    (4, 15.0),
    (5, 6.0),
    (8, 4.0),
    (10, 4.0),
    (12, 2.0),
    (16, 1.0),
    (20, 3.0),
];
/// Walltimes in minutes, with their shares.
const WALLTIMES: &[(i64, f64)] = &[
    (15, 4.0),
    (60, 6.0),
    (180, 8.0),
    (360, 6.0),
    (480, 11.0),
    (600, 17.0),
    (720, 21.0),
    (1440, 8.0),
    (4320, 5.0),
    (11_520, 14.0),
];

/// Numbers that follow from a seed: SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0, at most 1.
    fn share(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, most: i64) -> i64 {
        (self.bits() % most as u64) as i64
    }

    /// One of `list`, by its share.
    fn pick<T: Copy>(&mut self, list: &[(T, f64)]) -> T {
        let mut left = self.share() * list.iter().map(|(_, share)| share).sum::<f64>();
        for &(value, share) in list {
            left -= share;
            if left <= 0.0 {
                return value;
            }
        }
        list[list.len() - 1].0
    }
}

/// A job as it is drawn: what becomes its duration follows from the load.
struct Drawn {
    submit: i64,
    user: u32,
    cores: u32,
    walltime: i64,
    file: u32,
    /// Above 0, below 1; nothing if it is killed.
    size: Option<f64>,
}

/// Draws a workload for `cluster`.
///
/// # Errors
/// If so many jobs cannot offer such a load, with what to ask for.
pub fn generate(cluster: &Cluster, shape: Shape) -> Result<Workload, String> {
    let mut random = Random(shape.seed);
    let (mut drawn, files) = draw(&mut random, cluster, shape);
    drawn.sort_by_key(|job| job.submit);
    let seconds = (DAYS * DAY) as f64;
    let wanted = shape.load * cluster.all_cores() as f64 * seconds;
    let power = power(&drawn, wanted).ok_or_else(|| {
        let load = |power| offered(&drawn, power) / (cluster.all_cores() as f64 * seconds);
        let (least, most) = (load(SHORTEST), load(0.0));
        let remedy = if shape.load > most {
            "draw more jobs, or take fewer nodes"
        } else {
            "draw fewer jobs, or take more nodes"
        };
        format!(
            "{} jobs offer {cluster} a load from {least:.2} to {most:.2}, not {}: {remedy}",
            shape.jobs, shape.load
        )
    })?;
    let begin = drawn.first().map_or(0, |job| job.submit);
    let jobs = drawn.iter().zip(1..).map(|(job, id)| {
        let nodes = job.cores.div_ceil(cluster.cores);
        let cores = job.cores / nodes;
        let file_gb = f64::from(cores) * cluster.share_gb();
        Job {
            id,
            submit: job.submit,
            walltime: job.walltime,
            duration: duration(job, power),
            cores,
            nodes,
            user: job.user,
            file: Some(job.file),
            file_gb,
            output_gb: shape.output * file_gb,
            kind: match job.submit / DAY {
                0 => Kind::Before,
                day if day < DAYS - 1 => Kind::Evaluated,
                _ => Kind::After,
            },
            ran: None,
        }
    });
    Ok(Workload {
        jobs: jobs.collect(),
        users: (1..=shape.users).map(|number| format!("user{number}")).collect(),
        files: (1..=files).map(|number| number.to_string()).collect(),
        begin: Some(begin),
    })
}

/// Jobs burst by burst, and how many files they read.
fn draw(random: &mut Random, cluster: &Cluster, shape: Shape) -> (Vec<Drawn>, u32) {
    let cores: Vec<(u32, f64)> =
        CORES.iter().copied().filter(|(cores, _)| *cores <= cluster.cores).collect();
    let mut drawn = Vec::with_capacity(shape.jobs);
    let mut files = 0;
    while drawn.len() < shape.jobs {
        // Few users submit most.
        let user = (shape.users as f64).powf(random.share()).ceil() as u32 - 1;
        let first = start(random);
        // Most bursts are short, some are long: the logarithm is spread evenly.
        let longest = longest_burst(shape.burst);
        let count = longest.powf(random.share()).round().max(1.0) as usize;
        let (cores, walltime) = (random.pick(&cores), 60 * random.pick(WALLTIMES));
        let is_wide = shape.wide > 0.0 && random.share() < shape.wide;
        let most = i64::from(cluster.nodes.min(WIDEST));
        let nodes = if is_wide && most > 1 { 2 + random.below(most - 1) as u32 } else { 1 };
        let cores = if nodes > 1 { nodes * cluster.cores } else { cores };
        let center = random.share();
        let gap = if random.share() < 0.5 { 0 } else { 1 + random.below(40) };
        let (mut submit, mut began) = (first, first);
        files += 1;
        for _ in 0..count.min(shape.jobs - drawn.len()) {
            if submit - began > SAME_FILE {
                began = submit;
                files += 1;
            }
            let is_killed = random.share() < KILLED;
            let size = (center * (0.5 + random.share())).min(0.99);
            let size = (!is_killed).then_some(size);
            drawn.push(Drawn { submit, user, cores, walltime, file: files - 1, size });
            if gap > 0 {
                submit = (submit + random.below(2 * gap)).min(DAYS * DAY - 1);
            }
        }
    }
    (drawn, files)
}

/// When a burst begins: by day more often than by night.
fn start(random: &mut Random) -> i64 {
    loop {
        let time = random.below(DAYS * DAY);
        let hour = (time % DAY) as f64 / 3600.0;
        let busy = 0.65 - 0.35 * (std::f64::consts::TAU * (hour - 2.0) / 24.0).cos();
        if random.share() < busy {
            return time;
        }
    }
}

/// The longest burst if lengths whose logarithms are spread evenly have this mean.
fn longest_burst(mean: f64) -> f64 {
    let mean_of = |longest: f64| (longest - 1.0) / longest.ln();
    let (mut low, mut high) = (1.000_001, 1e7);
    while high / low > 1.000_1 {
        let middle = f64::sqrt(low * high);
        if mean_of(middle) < mean { low = middle } else { high = middle }
    }
    high
}

/// Seconds that a job computes: `size^power` of its walltime, twice that if it is killed.
fn duration(job: &Drawn, power: f64) -> i64 {
    let Some(size) = job.size else { return 2 * job.walltime };
    ((job.walltime as f64 * size.powf(power)) as i64).max(1)
}

/// Core seconds of all jobs.
fn offered(drawn: &[Drawn], power: f64) -> f64 {
    let work = |job: &Drawn| (duration(job, power).min(job.walltime) * i64::from(job.cores)) as f64;
    drawn.iter().map(work).sum()
}

/// The power with which the jobs offer the core seconds `wanted`, if there is one.
fn power(drawn: &[Drawn], wanted: f64) -> Option<f64> {
    let (mut low, mut high) = (0.0, SHORTEST);
    if offered(drawn, low) < wanted || offered(drawn, high) > wanted {
        return None;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if offered(drawn, middle) > wanted { low = middle } else { high = middle }
    }
    Some(high)
}
