//! The simulated engine: the same graph and the same policies as [`crate::exec`], in virtual time.
//!
//! No kernel runs: a task takes the time that its codelet's cost and the worker's model say. The
//! outcome is deterministic, to the last record. Submission takes no time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::flow::{Access, Engine, FlowError, FlowSpace, ReadyTasks, Space, task_view};
use crate::platform::Platform;
use crate::sched::{Policy, PolicyOptions, QueuePolicy, Shard, WorkerId, successor};
use crate::trace::{Outcome, Records, Site, TaskRecord};

/// The simulated engine.
pub struct Sim {
    platform: Platform,
    policy: Box<dyn QueuePolicy>,
    shards: Vec<Shard<u32>>,
    space: Option<Arc<Space>>,
    clock: u64,
    /// Ends of running tasks: time, order of their starts, worker, task.
    running: BinaryHeap<Reverse<(u64, u64, usize, u32)>>,
    starts: u64,
    idle: Vec<bool>,
    records: Vec<TaskRecord>,
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sim").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl Sim {
    /// A simulation of `platform` under `policy`, which may draw at random from `seed`.
    ///
    /// # Panics
    /// If the platform has no worker.
    #[must_use]
    pub fn new(platform: Platform, policy: &Policy, seed: u64) -> Self {
        let workers = platform.workers.len();
        assert!(workers > 0, "a platform needs at least one worker");
        let policy = policy.queue(&PolicyOptions { workers, seed }).expect("a queue policy");
        Self {
            shards: (0..policy.shards()).map(|_| Shard::default()).collect(),
            idle: vec![true; workers],
            platform,
            policy,
            space: None,
            clock: 0,
            running: BinaryHeap::new(),
            starts: 0,
            records: Vec::new(),
        }
    }

    fn push(&mut self, space: &Space, tasks: &[u32], by: Option<WorkerId>) {
        for &task in tasks {
            let place = self.policy.route(&task_view(space, task), by);
            self.shards[place.shard].push(task, place.key);
        }
    }

    /// Starts tasks on idle workers as long as there are both.
    fn assign(&mut self, space: &Space) {
        for worker in 0..self.idle.len() {
            while self.idle[worker] {
                let Some(task) = self.pop(WorkerId(worker)) else { break };
                self.start(space, worker, task);
            }
        }
    }

    fn pop(&mut self, me: WorkerId) -> Option<u32> {
        let sources = self.policy.sources(me).iter();
        sources.copied().find_map(|source| self.shards[source].pop())
    }

    /// Starts `task` on `worker`, unless it must wait for a commuting handle.
    fn start(&mut self, space: &Space, worker: usize, task: u32) {
        let data = space.task(task);
        if data.accesses().any(|(_, access)| access == Access::Commute) && !space.enter_gates(task)
        {
            return;
        }
        let end = self.clock + self.platform.workers[worker].nanoseconds(data.cost());
        let mut record = TaskRecord::new(data, worker, Outcome::Done);
        (record.start, record.end) = (self.clock, end);
        self.records.push(record);
        self.running.push(Reverse((end, self.starts, worker, task)));
        self.starts += 1;
        self.idle[worker] = false;
        for (handle, access) in data.accesses() {
            if matches!(access, Access::W | Access::RW | Access::Commute) {
                space.handles.get(handle).set_home(worker);
            }
        }
    }

    /// Ends the task that ends next; the worker may go on with a successor.
    fn step(&mut self, space: &Space) {
        let Reverse((end, _, worker, task)) =
            self.running.pop().expect("unfinished tasks run or are ready");
        self.clock = end;
        self.idle[worker] = true;
        let mut ready = Vec::new();
        space.leave_gates(space.task(task), &mut ready);
        space.complete(task, worker, &mut ready);
        let kept = self.keep(space, &mut ready, WorkerId(worker));
        self.push(space, &ready, Some(WorkerId(worker)));
        if let Some(task) = kept {
            self.start(space, worker, task);
        }
    }

    /// Takes the best of `ready` out, unless a task in the worker's first source comes before it.
    fn keep(&self, space: &Space, ready: &mut Vec<u32>, me: WorkerId) -> Option<u32> {
        if !self.policy.keeps_successor() {
            return None;
        }
        let key = |&task: &u32| self.policy.route(&task_view(space, task), Some(me)).key;
        let own = &self.shards[self.policy.sources(me)[0]];
        successor(ready.iter().map(key), || own.first_key()).map(|best| ready.swap_remove(best))
    }
}

impl Engine for Sim {
    fn attach(&mut self, space: FlowSpace) {
        self.space = Some(space.0);
    }

    fn workers(&self) -> usize {
        self.platform.workers.len()
    }

    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let Some(space) = self.space.clone() else { return };
        self.push(&space, tasks.0, None);
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        let Some(space) = self.space.clone() else { return };
        while submitted - space.completed() > unfinished {
            self.assign(&space);
            self.step(&space);
        }
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        None
    }

    fn failure(&self, _mark: u64) -> Option<FlowError> {
        None
    }

    fn take_records(&mut self) -> Records {
        Records { tasks: std::mem::take(&mut self.records), ..Records::default() }
    }

    fn site(&self) -> Site {
        Site::cores(self.platform.workers.len())
    }
}
