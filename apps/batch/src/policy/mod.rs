//! Schedulers: what a node costs a job. One file and one line of [`POLICIES`] each.
//!
//! All of them take the jobs in the order of the queue and choose for each the node with the least
//! score `t + load * L + reload * P`, the lowest of several: `t` when the cores are free, `L` the
//! seconds after `t` at which the file is there, `P` the seconds to load again what the file
//! pushes out. They differ in the [`Weights`] of the two.

mod eft;
mod fcfs;
mod gradual;
mod lea;
mod lem;
mod leo;

/// How much the two parts of a score count, beside the time at which cores are free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Weight of the time until the file is there.
    pub load: f64,
    /// Weight of the time to load again what the file pushes out.
    pub reload: f64,
}

impl Weights {
    /// Nothing but the time at which cores are free counts.
    pub const NONE: Self = Self { load: 0.0, reload: 0.0 };
    /// The time at which the file is there counts.
    pub const FINISH: Self = Self { load: 1.0, reload: 0.0 };
}

/// What a scheduler may look at when it plans a job.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The weight `W` that a run gives to loads.
    pub weight: f64,
    /// Nodes of the cluster.
    pub nodes: usize,
    /// Nodes on which a job runs now, or will from now on by the plan.
    pub running_nodes: usize,
    /// Cores of the cluster.
    pub cores: u64,
    /// Cores that the plan has given away from now on.
    pub busy_cores: u64,
    /// Cores that the jobs in the queue ask for, those included that this pass has planned.
    pub queued_cores: u64,
}

/// A scheduler.
#[derive(Debug)]
pub struct Policy {
    /// Its name, as flags take it.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Whether it heeds where files are.
    pub reads_files: bool,
    /// The weights for a job that is to be planned.
    pub weights: fn(&Situation) -> Weights,
    /// Other weights for nodes whose cores are free now.
    pub now: Option<Weights>,
}

/// All schedulers, in the order in which tables show them.
pub static POLICIES: &[&Policy] =
    &[&fcfs::FCFS, &eft::EFT, &lea::LEA, &leo::LEO, &lem::LEM, &gradual::GRADUAL];

/// The scheduler called `name`.
#[must_use]
pub fn policy(name: &str) -> Option<&'static Policy> {
    POLICIES.iter().find(|policy| policy.name == name).copied()
}
