//! Planning policies: one object that sees all ready tasks, all workers and all memories, and
//! commits tasks to workers in bounded queues.

use crate::memory::Replicas;
use crate::platform::Machine;
use crate::types::MemoryId;

use super::contexts::Contexts;
use super::{HandleId, TaskId, Tasks, WorkerId};

/// What a planning policy may look at. In a real run it may be a little old: whatever a policy
/// decides is checked again before it is done.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The time, in nanoseconds since the engine began.
    pub now: u64,
    /// The machine.
    pub machine: &'a Machine,
    /// The ready tasks, committed and running ones included.
    pub tasks: &'a Tasks,
    /// Where data lies.
    pub replicas: &'a Replicas,
    /// For each worker, when it is expected to have run all that is committed to it.
    pub busy_until: &'a [u64],
}

impl View<'_> {
    /// The memory of `worker`.
    #[must_use]
    pub fn memory(&self, worker: WorkerId) -> MemoryId {
        self.machine.workers[worker.0].memory
    }

    /// Expected time of `task` on `worker`, in nanoseconds; none if it cannot run there.
    #[must_use]
    pub fn predict(&self, task: TaskId, worker: WorkerId) -> Option<u64> {
        self.tasks.nanoseconds(task, self.machine.workers[worker.0].class)
    }

    /// Expected time to bring `handle` to `memory` from the nearest valid replica, in nanoseconds;
    /// 0 if it is there or on its way, or holds nothing yet.
    #[must_use]
    pub fn transfer(&self, handle: HandleId, memory: MemoryId) -> u64 {
        self.replicas.transfer(handle, memory)
    }

    /// Bytes of the inputs of `task` that are neither in `memory` nor on their way.
    #[must_use]
    pub fn missing_bytes(&self, task: TaskId, memory: MemoryId) -> u64 {
        let missing = self.tasks.get(task).inputs().filter(|&h| !self.replicas.is_here(h, memory));
        missing.map(|handle| self.replicas.bytes(handle)).sum()
    }
}

/// When a datum will be used in a memory, as far as a policy knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextUse {
    /// By `count` planned tasks, the first of which has this position in the memory's plan.
    Planned {
        /// How many planned tasks use it.
        count: u32,
        /// Position of the first of them; smaller is sooner.
        position: u64,
    },
    /// By no task that the policy knows of.
    Never,
    /// The policy plans nothing.
    Unknown,
}

/// A planning policy: a pure state machine. Actions are return values; nothing is called back.
///
/// Tasks pass through it: [`ready`](Self::ready) hands them over, [`refill`](Self::refill) commits
/// them to workers, for good. Committed tasks run in the order in which they were committed, as far
/// as their data arrives in that order.
pub trait Scheduler: Send {
    /// `tasks` became ready, by the end of a task on worker `by`, or by submission.
    fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>, view: &View<'_>);

    /// `worker` has room for `room` more tasks: appends those committed to it to `out`, in order,
    /// only tasks that can run there; none if there is nothing for it now.
    ///
    /// It is asked again when tasks became ready or done, as long as there is room.
    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>);

    /// Tasks handed over and not yet committed.
    fn backlog(&self) -> usize;

    /// How many tasks are best committed to `worker` at once, the running one included, given how
    /// many its memory holds the data of (`pipeline`).
    fn lookahead(&self, pipeline: usize) -> usize {
        pipeline
    }

    /// `task`, which was committed to `worker`, begins to run there.
    fn started(&mut self, _task: TaskId, _worker: WorkerId, _view: &View<'_>) {}

    /// `task` is done on `worker`.
    fn finished(&mut self, _task: TaskId, _worker: WorkerId, _view: &View<'_>) {}

    /// `handle` was written or brought to `memory`, or is on its way there.
    fn arrived(&mut self, _handle: HandleId, _memory: MemoryId, _view: &View<'_>) {}

    /// `handle` is no longer in `memory`: evicted, or another worker writes it.
    fn evicted(&mut self, _handle: HandleId, _memory: MemoryId, _view: &View<'_>) {}

    /// When tasks that are planned for workers of `memory`, but not committed, use `handle`.
    fn next_use(&self, _handle: HandleId, _memory: MemoryId) -> NextUse {
        NextUse::Unknown
    }

    /// Whether its decisions depend on where data lies or on how long tasks take.
    fn looks_at_data(&self) -> bool {
        true
    }

    /// Appends the tasks whose data may be brought to a worker's memory although they are not
    /// committed yet, since the last call.
    fn hints(&mut self, _out: &mut Vec<(WorkerId, TaskId)>) {}

    /// Nanoseconds of the tasks that are planned for `worker` and not committed.
    fn planned(&self, _worker: WorkerId) -> u64 {
        0
    }

    /// Time may have gone on; says whether it has more for workers now.
    fn tick(&mut self, _view: &View<'_>) -> bool {
        false
    }

    /// All workers are idle and nothing is under way: tasks that it will never give to one join
    /// `out` and are forgotten; says why, if there are any.
    fn take_stuck(&mut self, _out: &mut Vec<TaskId>) -> Option<String> {
        None
    }

    /// The contexts, if it is more than one policy.
    fn contexts(&mut self) -> Option<&mut Contexts> {
        None
    }
}
