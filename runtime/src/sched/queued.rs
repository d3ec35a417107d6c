//! A queue policy in the place of a planning one: the same shards, without locks.

use super::bins::Bins;
use super::{HandleId, Place, QueuePolicy, Scheduler, TaskId, TaskView, View, WorkerId, successor};

/// Drives a queue policy where all workers are served by one planner.
pub(crate) struct Queued {
    policy: Box<dyn QueuePolicy>,
    /// The shards of the policy; one more for tasks in whose shard nobody looks who can run them.
    bins: Bins,
    /// For each worker the successor that it goes on with.
    kept: Vec<Option<TaskId>>,
    /// By handle, the worker that wrote it last, plus 1.
    homes: Vec<u32>,
    backlog: usize,
}

impl Queued {
    pub(crate) fn new(policy: Box<dyn QueuePolicy>, workers: usize) -> Self {
        let bins = Bins::new(policy.shards() + 1);
        Self { policy, bins, kept: vec![None; workers], homes: Vec::new(), backlog: 0 }
    }

    fn place(&self, id: TaskId, by: Option<WorkerId>, view: &View<'_>) -> Place {
        let task = view.tasks.get(id);
        let home = task.outputs().next().and_then(|handle| {
            let home = self.homes.get(handle.0 as usize).copied().unwrap_or(0) as usize;
            home.checked_sub(1).map(WorkerId)
        });
        self.policy.route(&TaskView { priority: task.priority, index: task.index, home }, by)
    }

    /// The task that worker `by` goes on with, of those that it has made ready.
    fn keep(&self, tasks: &[TaskId], by: WorkerId, view: &View<'_>) -> Option<usize> {
        if !self.policy.keeps_successor() || self.kept[by.0].is_some() {
            return None;
        }
        let keys = tasks.iter().map(|&task| self.place(task, Some(by), view).key);
        let own = self.policy.sources(by)[0];
        let best = successor(keys, || self.bins.first_key(own))?;
        view.tasks.can_run(tasks[best], by, view.machine).then_some(best)
    }

    /// Puts a task where the policy says, if a worker that looks there can run it.
    fn insert(&mut self, task: TaskId, by: Option<WorkerId>, view: &View<'_>) {
        let place = self.place(task, by, view);
        let looks = |&worker: &usize| self.policy.sources(WorkerId(worker)).contains(&place.shard);
        let can_run = |worker: usize| view.tasks.can_run(task, WorkerId(worker), view.machine);
        let is_found =
            view.machine.classes.len() == 1 || (0..self.kept.len()).filter(looks).any(can_run);
        let shard = if is_found { place.shard } else { self.policy.shards() };
        self.bins.push(shard, task, place.key, view);
    }

    fn pop(&mut self, worker: WorkerId, view: &View<'_>) -> Option<TaskId> {
        let class = view.machine.workers[worker.0].class;
        let stray = self.policy.shards();
        let mut sources = self.policy.sources(worker).iter().copied().chain([stray]);
        sources.find_map(|shard| self.bins.pop(shard, class))
    }

    fn note_home(&mut self, handle: HandleId, worker: WorkerId) {
        let index = handle.0 as usize;
        if index >= self.homes.len() {
            self.homes.resize((index + 1).next_power_of_two(), 0);
        }
        self.homes[index] = worker.0 as u32 + 1;
    }
}

impl Scheduler for Queued {
    fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>, view: &View<'_>) {
        self.backlog += tasks.len();
        let kept = by.and_then(|worker| self.keep(tasks, worker, view));
        for (position, &task) in tasks.iter().enumerate() {
            if let (Some(worker), true) = (by, kept == Some(position)) {
                self.kept[worker.0] = Some(task);
            } else {
                self.insert(task, by, view);
            }
        }
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        for _ in 0..room {
            let Some(task) = self.kept[worker.0].take().or_else(|| self.pop(worker, view)) else {
                break;
            };
            self.backlog -= 1;
            for handle in view.tasks.get(task).outputs() {
                self.note_home(handle, worker);
            }
            out.push(task);
        }
    }

    fn looks_at_data(&self) -> bool {
        false
    }

    fn backlog(&self) -> usize {
        self.backlog
    }
}
