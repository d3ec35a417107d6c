//! Scheduling policies: which worker runs which ready task, and in which order.
//!
//! A policy is a pure state machine: no thread, no clock, no I/O. The real engine and the simulator
//! drive the very same code. A *queue policy* spreads ready tasks over shards, each an ordered
//! queue; the real engine locks each shard by itself, so that no lock is global. Policies that plan
//! ([`Scheduler`]) also see expected times and what lies where.
//!
//! To add a policy: one file with a type that implements [`QueuePolicy`] or [`Scheduler`], and one
//! line in [`POLICIES`]; the conformance tests then run it on random programs in both engines. So
//! is an eviction policy, which is one function, in [`EVICTIONS`].

mod ahead;
mod argmax;
mod bins;
mod board;
pub mod contexts;
mod darts;
mod dmda;
mod eager;
mod evict;
pub mod hypervisor;
mod lws;
mod nearest;
mod order;
mod pairs;
mod plan;
mod pool;
mod prio;
mod queued;
mod random;
mod shard;
mod sites;
mod task;
mod tessera;
#[cfg(test)]
mod tests;

pub use evict::{EVICTIONS, EvictionContext, EvictionPolicy, Recency, eviction};
pub use order::ORDER;
pub use plan::{NextUse, Scheduler, View};
pub(crate) use queued::Queued;
pub use shard::{Key, Shard};
pub use task::{Task, Tasks};

pub use crate::types::{ContextId, HandleId, JobId, TaskId, WorkerId};

/// A ready task as a queue policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct TaskView {
    /// Higher first.
    pub priority: i32,
    /// Position in the program.
    pub index: u64,
    /// The worker that last wrote the first handle that the task writes, if any did.
    pub home: Option<WorkerId>,
}

/// Where a ready task goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the shard, below [`QueuePolicy::shards`].
    pub shard: usize,
    /// Order within the shard.
    pub key: Key,
}

/// A policy that puts ready tasks into shards.
///
/// The smallest example, one queue in order of priority:
///
/// ```
/// use tegula_runtime::sched::{Key, Place, QueuePolicy, TaskView, WorkerId};
///
/// struct Prio;
///
/// impl QueuePolicy for Prio {
///     fn shards(&self) -> usize {
///         1
///     }
///     fn route(&self, task: &TaskView, _by: Option<WorkerId>) -> Place {
///         Place { shard: 0, key: Key::by_priority(task) }
///     }
///     fn sources(&self, _worker: WorkerId) -> &[usize] {
///         &[0]
///     }
/// }
/// ```
pub trait QueuePolicy: Send + Sync {
    /// Number of shards.
    fn shards(&self) -> usize;

    /// Where `task` goes that became ready on worker `by` (none: by submission).
    fn route(&self, task: &TaskView, by: Option<WorkerId>) -> Place;

    /// The shards that `worker` takes tasks from, in the order in which it looks.
    fn sources(&self, worker: WorkerId) -> &[usize];

    /// Whether a worker may go on with the best task that it has just made ready, if nothing in
    /// its first source comes before it.
    fn keeps_successor(&self) -> bool {
        false
    }

    /// Whether no worker stays idle while a task is ready.
    fn is_work_conserving(&self) -> bool {
        true
    }
}

/// How many tasks one of `workers` workers takes along besides the one that it runs, from a shard
/// that still has `length`: none where tasks are few and each counts, some where they are many.
/// What it leaves keeps the others busy for eight tasks each, by when it has given back what it
/// did not run.
pub(crate) fn share(length: usize, workers: usize) -> usize {
    (length / (8 * workers)).min(15)
}

/// Which of the tasks that a worker has just made ready it goes on with, given their keys: the best
/// one, unless the task that is `waiting` in its first source comes before.
pub(crate) fn successor(
    keys: impl Iterator<Item = Key>,
    waiting: impl FnOnce() -> Option<Key>,
) -> Option<usize> {
    let (position, best) = keys.enumerate().max_by_key(|&(_, key)| key)?;
    (waiting() <= Some(best)).then_some(position)
}

/// From what a policy is built.
#[derive(Clone, Copy, Debug)]
pub struct PolicyOptions {
    /// Number of workers.
    pub workers: usize,
    /// For policies that draw at random.
    pub seed: u64,
    /// For [`ORDER`]: by worker, the program indices of its tasks, in order.
    pub order: &'static [Vec<u64>],
}

/// A member of [`POLICIES`].
#[derive(Clone, Copy)]
pub struct Policy {
    /// Value of `--policy`.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Makes one.
    pub build: Build,
    /// Name of the eviction policy that suits it best.
    pub eviction: &'static str,
}

/// Makes a policy of one of the two tiers.
#[derive(Clone, Copy)]
pub enum Build {
    /// Spreads ready tasks over queues; knows nothing of time and memories.
    Queue(fn(&PolicyOptions) -> Box<dyn QueuePolicy>),
    /// Plans with expected times and with what lies where.
    Plan(fn(&PolicyOptions) -> Box<dyn Scheduler>),
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Policy {
    /// Whether it plans: it looks at the worker and the data of a task when it places it.
    #[must_use]
    pub const fn plans(&self) -> bool {
        matches!(self.build, Build::Plan(_))
    }

    /// The policy as spread over queues; none if it plans.
    #[must_use]
    pub fn queue(&self, options: &PolicyOptions) -> Option<Box<dyn QueuePolicy>> {
        match self.build {
            Build::Queue(build) => Some(build(options)),
            Build::Plan(_) => None,
        }
    }

    /// The policy as one object that commits tasks to workers.
    #[must_use]
    pub fn scheduler(&self, options: &PolicyOptions) -> Box<dyn Scheduler> {
        match self.build {
            Build::Queue(build) => Box::new(Queued::new(build(options), options.workers)),
            Build::Plan(build) => build(options),
        }
    }
}

/// Every policy.
pub static POLICIES: &[Policy] = &[
    eager::POLICY,
    prio::POLICY,
    lws::POLICY,
    random::POLICY,
    dmda::DMDA,
    dmda::DMDAR,
    dmda::DMDAS,
    dmda::DMDAL,
    darts::DARTS,
    darts::V1,
    darts::THREE_INPUTS,
    darts::OPTI,
    darts::THRESHOLD,
    ahead::HFP,
    ahead::HFP_FAST,
    ahead::MHFP,
    ahead::MHFP_TWICE,
    ahead::MHFP_INTERLACED,
    ahead::RCM,
    ahead::MST,
    ahead::PARTITION,
    tessera::POLICY,
];

/// The policy that is used unless another is asked for.
pub const DEFAULT_POLICY: &str = "lws";

/// The policy called `name`.
#[must_use]
pub fn policy(name: &str) -> Option<&'static Policy> {
    POLICIES.iter().find(|policy| policy.name == name)
}
