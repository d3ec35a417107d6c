//! The family of HEFT: a task that becomes ready goes to the worker that is expected to end it
//! first, the transfers of its data included; a worker may then run what is at hand first.
//!
//! The expected end is that of Gonthier (2023), equation 4.1, after the time until which the worker
//! is busy: `avail + transfers + duration`. Transfers count in full although they overlap with what
//! runs before: of two workers whose queues are long, the one that holds the data is to be chosen.

use std::collections::VecDeque;

use crate::types::{MAX_MEMORIES, MemoryId};

use super::nearest::Nearest;
use super::sites::{Sites, Uses};
use super::{Build, HandleId, NextUse, Policy, Scheduler, TaskId, View, WorkerId};

pub(super) const DMDA: Policy = Policy {
    name: "dmda",
    summary: "each task to the worker that is expected to end it first, transfers included",
    build: Build::Plan(|_| Box::new(Dmda::default())),
    eviction: "lru",
};

pub(super) const DMDAR: Policy = Policy {
    name: "dmdar",
    summary: "as dmda; a worker takes first what lacks the fewest bytes",
    build: Build::Plan(|_| Box::new(Dmda { takes: Takes::Nearest, ..Dmda::default() })),
    eviction: "lru",
};

pub(super) const DMDAS: Policy = Policy {
    name: "dmdas",
    summary: "as dmdar, among tasks of the highest priority",
    build: Build::Plan(|_| {
        Box::new(Dmda { takes: Takes::Nearest, by_priority: true, ..Dmda::default() })
    }),
    eviction: "lru",
};

pub(super) const DMDAL: Policy = Policy {
    name: "dmdal",
    summary: "as dmdas; a worker takes first, of the tasks that lack nothing, the most urgent",
    build: Build::Plan(|_| {
        Box::new(Dmda { takes: Takes::AtHand, by_priority: true, ..Dmda::default() })
    }),
    eviction: "lru",
};

/// What a worker takes first of what is allocated to it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Takes {
    /// The task of the highest priority, the first of several.
    #[default]
    First,
    /// Among those of the highest priority, what lacks the fewest bytes (algorithm 2).
    Nearest,
    /// The first that lacks nothing, of whatever priority: a device does not wait for data that
    /// have just come to the RAM while it could work. Our own, for what Nesi (2023), section
    /// 8.3.3, observes.
    AtHand,
}

#[derive(Default)]
struct Dmda {
    /// Whether tasks of higher priority come first.
    by_priority: bool,
    takes: Takes,
    sites: Sites,
    /// By worker.
    queues: Vec<Queue>,
    /// Queued tasks by handle and memory: data that is promised there.
    uses: Uses,
    hints: Vec<(WorkerId, TaskId)>,
    /// Tasks just handed over, in the order in which they are allocated.
    arrivals: Vec<TaskId>,
    nearest: Nearest,
    backlog: usize,
}

/// What is allocated to a worker, the highest priority first.
#[derive(Default)]
struct Queue {
    tasks: VecDeque<(i32, TaskId)>,
    /// Expected time of all of them.
    nanoseconds: u64,
}

impl Queue {
    fn push(&mut self, priority: i32, task: TaskId) {
        match self.tasks.back() {
            Some(&(last, _)) if last < priority => {
                let place = self.tasks.partition_point(|&(other, _)| other >= priority);
                self.tasks.insert(place, (priority, task));
            }
            _ => self.tasks.push_back((priority, task)),
        }
    }
}

impl Dmda {
    fn learn(&mut self, view: &View<'_>) {
        if !self.sites.is_known() {
            self.sites.learn(view.machine);
            self.queues.resize_with(view.machine.workers.len(), Queue::default);
        }
    }

    /// Time to bring what `task` lacks to `memory`; what other tasks brought or will bring there
    /// is taken to stay.
    fn transfers(&self, task: TaskId, memory: MemoryId, view: &View<'_>) -> u64 {
        let is_coming = |handle: HandleId| {
            self.uses.count(handle, memory) > 0 || view.replicas.committed(handle, memory) > 0
        };
        let inputs = view.tasks.get(task).inputs();
        inputs.filter(|&h| !is_coming(h)).map(|handle| view.transfer(handle, memory)).sum()
    }

    /// The worker that ends `task` first, and how long it takes there.
    fn choose(&self, task: TaskId, view: &View<'_>) -> Option<(WorkerId, u64)> {
        let mut transfers = [None; MAX_MEMORIES];
        let mut best: Option<(u64, WorkerId, u64)> = None;
        for site in &self.sites.list {
            let Some(duration) = view.tasks.nanoseconds(task, site.class) else { continue };
            let known = &mut transfers[site.memory.0];
            let transfer = *known.get_or_insert_with(|| self.transfers(task, site.memory, view));
            for &worker in &site.workers {
                let busy = view.busy_until[worker.0].max(view.now);
                let end = busy + self.queues[worker.0].nanoseconds + transfer + duration;
                if best.is_none_or(|(first, ..)| end < first) {
                    best = Some((end, worker, duration));
                }
            }
        }
        best.map(|(_, worker, duration)| (worker, duration))
    }

    fn allocate(&mut self, task: TaskId, view: &View<'_>) {
        let (worker, duration) = self.choose(task, view).expect("some worker can run each task");
        let (memory, row) = (view.memory(worker), view.tasks.get(task));
        for handle in row.inputs() {
            self.uses.add(handle, memory, self.sites.memories);
        }
        let priority = if self.by_priority { row.priority } else { 0 };
        let queue = &mut self.queues[worker.0];
        queue.push(priority, task);
        queue.nanoseconds += duration;
        self.hints.push((worker, task));
    }

    /// The place in its queue of what `worker` takes next.
    fn next(&self, worker: WorkerId, view: &View<'_>) -> usize {
        let (tasks, memory) = (&self.queues[worker.0].tasks, view.memory(worker));
        let Some(&(highest, _)) = tasks.front() else { return 0 };
        match self.takes {
            Takes::First => 0,
            Takes::Nearest => {
                let first = tasks.iter().take_while(|&&(priority, _)| priority == highest);
                self.nearest.find(first.map(|&(_, task)| task), memory, view)
            }
            Takes::AtHand => {
                self.nearest.at_hand(tasks.iter().map(|&(_, task)| task), memory, view)
            }
        }
    }

    /// Takes a task for `worker` out of its queue.
    fn take(&mut self, worker: WorkerId, view: &View<'_>) -> Option<TaskId> {
        let place = self.next(worker, view);
        let queue = &mut self.queues[worker.0];
        let (_, task) = queue.tasks.remove(place)?;
        queue.nanoseconds -= view.predict(task, worker).unwrap_or(0);
        for handle in view.tasks.get(task).inputs() {
            self.uses.remove(handle, view.memory(worker));
        }
        if self.takes != Takes::First {
            self.nearest.pick(task, view);
        }
        Some(task)
    }
}

impl Scheduler for Dmda {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, view: &View<'_>) {
        self.learn(view);
        self.backlog += tasks.len();
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.extend_from_slice(tasks);
        if self.by_priority {
            arrivals.sort_by_key(|&task| std::cmp::Reverse(view.tasks.get(task).priority));
        }
        for task in arrivals.drain(..) {
            self.allocate(task, view);
        }
        self.arrivals = arrivals;
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.learn(view);
        self.nearest.clear();
        for _ in 0..room {
            let Some(task) = self.take(worker, view) else { break };
            self.backlog -= 1;
            out.push(task);
        }
    }

    fn backlog(&self) -> usize {
        self.backlog
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.uses.next_use(handle, memory)
    }

    fn hints(&mut self, out: &mut Vec<(WorkerId, TaskId)>) {
        out.append(&mut self.hints);
    }

    fn planned(&self, worker: WorkerId) -> u64 {
        self.queues.get(worker.0).map_or(0, |queue| queue.nanoseconds)
    }
}
