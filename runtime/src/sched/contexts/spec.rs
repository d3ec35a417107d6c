//! What contexts and jobs are made from, and what is wrong with a change of them.

use crate::types::{ContextId, JobId, WorkerId};

use crate::sched::{Policy, policy};

/// A context to be made.
#[derive(Clone, Debug)]
pub struct ContextSpec {
    /// Its name, in traces and messages.
    pub name: String,
    /// Who runs what in it.
    pub policy: &'static Policy,
    /// Its workers at first; they leave all other contexts but that of all workers, unless they
    /// are [shared](Self::is_shared).
    pub workers: Vec<WorkerId>,
    /// Whether its workers stay in the contexts that they are in.
    pub is_shared: bool,
    /// A worker of several contexts asks those of higher priority first.
    pub priority: i32,
    /// The context whose other children get its workers when it has nothing more to run.
    pub parent: ContextId,
    /// By [group](crate::platform::Machine::groups) of workers, the fewest and the most that
    /// whoever moves workers may leave it; any number of groups beyond the end.
    pub limits: Vec<Limits>,
    /// Whether it gives workers away only while it runs nothing.
    pub is_moldable: bool,
    /// Whether its workers, which are cores, are one team, that each of its tasks has to itself.
    pub is_team: bool,
    /// For policies that draw at random.
    pub seed: u64,
}

impl ContextSpec {
    /// A context of these workers, under `policy`, without limits.
    #[must_use]
    pub fn new(name: &str, policy: &'static Policy, workers: Vec<WorkerId>) -> Self {
        Self {
            name: name.to_owned(),
            policy,
            workers,
            is_shared: false,
            priority: 0,
            parent: ContextId::ROOT,
            limits: Vec::new(),
            is_moldable: false,
            is_team: false,
            seed: 0,
        }
    }

    /// A context of these cores as one team. Its tasks, of highest priority first, have all of them
    /// one after the other; it gives workers away only between them.
    #[must_use]
    pub fn team(name: &str, workers: Vec<WorkerId>) -> Self {
        let policy = policy("prio").expect("a listed policy");
        Self { is_team: true, is_moldable: true, ..Self::new(name, policy, workers) }
    }
}

/// How many workers of one group a context is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The fewest.
    pub least: usize,
    /// The most.
    pub most: usize,
}

impl Limits {
    /// Any number.
    pub const NONE: Self = Self { least: 0, most: usize::MAX };
}

/// A job to be made.
#[derive(Clone, Debug)]
pub struct JobSpec {
    /// Its name, in traces and messages.
    pub name: String,
    /// The context in which it runs.
    pub context: ContextId,
    /// When it begins.
    pub start: Start,
    /// What it consists of, as far as that is known.
    pub work: Work,
}

/// When a job begins: its tasks wait until then. One that is to commute with tasks of other jobs
/// may keep these waiting meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At once.
    Now,
    /// At so many nanoseconds after the engine began.
    At(u64),
    /// When all of these jobs have ended.
    After(Vec<JobId>),
    /// When all of these jobs have ended, and not before so many nanoseconds.
    AfterAndAt(Vec<JobId>, u64),
}

impl Start {
    /// The jobs that must have ended.
    pub(super) fn jobs(&self) -> &[JobId] {
        match self {
            Self::Now | Self::At(_) => &[],
            Self::After(jobs) | Self::AfterAndAt(jobs, _) => jobs,
        }
    }

    /// The time before which it does not begin.
    pub(super) fn time(&self) -> u64 {
        match self {
            Self::Now | Self::After(_) => 0,
            Self::At(time) | Self::AfterAndAt(_, time) => *time,
        }
    }
}

/// What a job consists of.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Operations, if they are known.
    pub flops: Option<f64>,
    /// Tasks by type, if they are known.
    pub types: Vec<TypeCount>,
}

/// So many tasks that take equally long.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeCount {
    /// How many.
    pub tasks: u64,
    /// Operations of one.
    pub flops: f64,
    /// By class of workers, the nanoseconds of one; none: it cannot run there.
    pub nanoseconds: Vec<Option<u64>>,
}

/// Workers that change their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The context that they leave; none: all that they are in.
    pub from: Option<ContextId>,
    /// The context that they join; none: only that of all workers.
    pub to: Option<ContextId>,
    /// Which.
    pub workers: Vec<WorkerId>,
}

/// Why contexts cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// There is no such context, or it has ended.
    #[error("there is no context {}, or it has ended", .0.0)]
    Unknown(ContextId),
    /// There is no such job.
    #[error("there is no job {}", .0.0)]
    UnknownJob(JobId),
    /// There is no such worker.
    #[error("there is no worker {}: the machine has {}", .0.0, .1)]
    NoSuchWorker(WorkerId, usize),
    /// A worker is not in the context that it is to leave.
    #[error("worker {} is not in context {context}", worker.0)]
    NotThere {
        /// The worker.
        worker: WorkerId,
        /// Name of the context.
        context: String,
    },
    /// A context would be left without a worker that runs its tasks.
    #[error(
        "context {context} would have no worker left that runs its tasks: leave it one of the \
         class that they need"
    )]
    Starved {
        /// Name of the context.
        context: String,
    },
    /// A worker of a team that is no core.
    #[error("worker {} is no core: the team of context {context} is of cores", worker.0)]
    NoCore {
        /// The worker.
        worker: WorkerId,
        /// Name of the context.
        context: String,
    },
    /// A policy that gives tasks to certain workers, for a team, which is one.
    #[error("policy {policy} chooses workers, and a team is one: give it a policy of queues")]
    TeamPlans {
        /// Name of the policy.
        policy: &'static str,
    },
    /// The context of all workers can be neither changed nor ended.
    #[error("the context of all workers keeps them, and ends with the engine")]
    Root,
    /// There are as many contexts or jobs as can be named.
    #[error("{most} contexts or jobs are the most that an engine holds")]
    TooMany {
        /// How many.
        most: usize,
    },
    /// A policy that plans, in an engine that keeps no track of data.
    #[error(
        "policy {policy} plans with data, of which this engine keeps no track: give the engine \
         itself a policy that plans"
    )]
    Plans {
        /// Name of the policy.
        policy: &'static str,
    },
    /// The engine was started for one context.
    #[error("this engine was started without contexts: ask for them in its options")]
    Off,
}
