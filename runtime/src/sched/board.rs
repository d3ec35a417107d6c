//! What policies that plan by data share: the pool of ready tasks, a plan for each site that can be
//! undone, and how many tasks each worker has.

use std::collections::VecDeque;

use crate::types::MemoryId;

use super::pool::Pool;
use super::sites::{Sites, Uses};
use super::{HandleId, NextUse, TaskId, View, WorkerId};

/// What one site is to run, the highest priority first.
#[derive(Clone, Default)]
struct Plan {
    tasks: VecDeque<(i32, TaskId)>,
    /// Expected time of all of them.
    nanoseconds: u64,
}

pub(super) struct Board {
    pub(super) pool: Pool,
    /// By site.
    plans: Vec<Plan>,
    /// Planned tasks by handle and memory.
    uses: Uses,
    /// Tasks that the workers of a memory have at once.
    window: usize,
    /// By worker, the committed tasks that are not done, most of them, and the workers of its
    /// memory.
    committed: Vec<usize>,
    most: Vec<usize>,
    peers: Vec<usize>,
    /// Tasks that change their place.
    group: Vec<TaskId>,
}

impl Board {
    /// For workers that share `window` tasks with those of the same memory; tasks in the pool that
    /// lack nothing come in order of priority, or of the program.
    pub(super) fn new(by_priority: bool, window: usize) -> Self {
        Self {
            pool: Pool::new(by_priority),
            plans: Vec::new(),
            uses: Uses::default(),
            window,
            committed: Vec::new(),
            most: Vec::new(),
            peers: Vec::new(),
            group: Vec::new(),
        }
    }

    /// Notes the machine, once.
    pub(super) fn learn(&mut self, view: &View<'_>) {
        if self.pool.sites.is_known() {
            return;
        }
        let mut sites = Sites::default();
        sites.learn(view.machine);
        self.plans = vec![Plan::default(); sites.list.len()];
        self.committed = vec![0; view.machine.workers.len()];
        for (number, worker) in view.machine.workers.iter().enumerate() {
            let beside = view.machine.workers.iter().filter(|other| other.memory == worker.memory);
            self.peers.push(beside.count());
            let share = self.share(WorkerId(number), self.window);
            let is_fed = !sites.holds_all(sites.of(WorkerId(number)));
            self.most.push(worker.pipeline.max(if is_fed { share } else { 1 }));
        }
        self.pool.learn(sites);
    }

    /// Notes what became valid somewhere without word of it: data that was there from the start.
    pub(super) fn look(&mut self, task: TaskId, view: &View<'_>) {
        for handle in view.tasks.get(task).handles() {
            self.pool.reserve(handle);
            for memory in (0..self.pool.sites.memories).map(MemoryId) {
                if view.replicas.is_here(handle, memory) {
                    self.pool.set_here(handle, memory, true, view.tasks);
                }
            }
        }
    }

    /// Number of sites.
    pub(super) fn sites(&self) -> usize {
        self.plans.len()
    }

    /// Number of tasks in the plan of `site`.
    pub(super) fn planned(&self, site: usize) -> usize {
        self.plans[site].tasks.len()
    }

    /// Expected time of the plan of `site`.
    pub(super) fn nanoseconds(&self, site: usize) -> u64 {
        self.plans[site].nanoseconds
    }

    /// Tasks that are not committed.
    pub(super) fn backlog(&self) -> usize {
        self.pool.ready().len() + self.plans.iter().map(|plan| plan.tasks.len()).sum::<usize>()
    }

    /// How many tasks `worker` may be given, if it is to hold `most` at once.
    pub(super) fn room(&self, worker: WorkerId, most: usize) -> usize {
        most.min(self.most[worker.0]).saturating_sub(self.held(worker))
    }

    /// The committed tasks of `worker` that are not done.
    pub(super) fn held(&self, worker: WorkerId) -> usize {
        self.committed[worker.0]
    }

    /// The share of `worker` in `window` tasks of its memory.
    pub(super) fn share(&self, worker: WorkerId, window: usize) -> usize {
        window / self.peers[worker.0]
    }

    /// Notes that a task is done on `worker`.
    pub(super) fn finished(&mut self, worker: WorkerId) {
        self.committed[worker.0] -= 1;
    }

    /// Plans `task`, which is not in the pool, for `site`: before those of lower priority.
    pub(super) fn plan(&mut self, task: TaskId, priority: i32, site: usize, view: &View<'_>) {
        let (memory, class) = (self.pool.sites.list[site].memory, self.pool.sites.list[site].class);
        let plan = &mut self.plans[site];
        plan.nanoseconds += view.tasks.nanoseconds(task, class).unwrap_or(0);
        match plan.tasks.back() {
            Some(&(last, _)) if last < priority => {
                let place = plan.tasks.partition_point(|&(other, _)| other >= priority);
                plan.tasks.insert(place, (priority, task));
            }
            _ => plan.tasks.push_back((priority, task)),
        }
        for handle in view.tasks.get(task).inputs() {
            self.uses.add(handle, memory, self.pool.sites.memories);
            self.pool.set_here(handle, memory, true, view.tasks);
        }
    }

    /// Takes the first task out of the plan of its site for `worker`.
    pub(super) fn commit(&mut self, worker: WorkerId, view: &View<'_>) -> Option<TaskId> {
        let site = self.pool.sites.of(worker);
        let (_, task) = self.plans[site].tasks.pop_front()?;
        self.unplan(task, site, view);
        self.committed[worker.0] += 1;
        Some(task)
    }

    /// The tasks planned for `site`, the last first.
    pub(super) fn last_planned(&self, site: usize) -> impl Iterator<Item = TaskId> + '_ {
        self.plans[site].tasks.iter().rev().map(|&(_, task)| task)
    }

    /// Takes the task that is `place`-th from the end, counted from 0, out of the plan of `site`.
    pub(super) fn take_back(&mut self, site: usize, place: usize, view: &View<'_>) -> TaskId {
        let tasks = &mut self.plans[site].tasks;
        let (_, task) = tasks.remove(tasks.len() - 1 - place).expect("it is in the plan");
        self.unplan(task, site, view);
        self.forget_inputs(task, self.pool.sites.list[site].memory, view);
        task
    }

    /// Counts `task` as no longer planned for `site`.
    fn unplan(&mut self, task: TaskId, site: usize, view: &View<'_>) {
        let (memory, class) = (self.pool.sites.list[site].memory, self.pool.sites.list[site].class);
        self.plans[site].nanoseconds -= view.tasks.nanoseconds(task, class).unwrap_or(0);
        for handle in view.tasks.get(task).inputs() {
            self.uses.remove(handle, memory);
        }
    }

    /// Notes that `handle` is in `memory`, or on its way.
    pub(super) fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.learn(view);
        self.pool.reserve(handle);
        self.pool.set_here(handle, memory, true, view.tasks);
    }

    /// Notes that `handle` left `memory`, and takes what reads it out of the plans there, back into
    /// the pool. Data that was to come for these tasks alone is no longer expected.
    pub(super) fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.learn(view);
        self.pool.reserve(handle);
        self.pool.set_here(handle, memory, false, view.tasks);
        if self.uses.count(handle, memory) == 0 {
            return;
        }
        let mut group = std::mem::take(&mut self.group);
        for site in 0..self.plans.len() {
            if self.pool.sites.list[site].memory == memory {
                self.withdraw(handle, site, view, &mut group);
            }
        }
        for &task in &group {
            self.forget_inputs(task, memory, view);
        }
        group.drain(..).for_each(|task| self.pool.enter(task, view.tasks));
        self.group = group;
    }

    /// Takes the tasks that read `handle` out of the plan of `site`.
    fn withdraw(
        &mut self,
        handle: HandleId,
        site: usize,
        view: &View<'_>,
        group: &mut Vec<TaskId>,
    ) {
        let start = group.len();
        self.plans[site].tasks.retain(|&(_, task)| {
            let reads = view.tasks.get(task).inputs().any(|input| input == handle);
            if reads {
                group.push(task);
            }
            !reads
        });
        for &task in &group[start..] {
            self.unplan(task, site, view);
        }
    }

    /// Notes which inputs of `task`, which is planned no longer, will not come to `memory`.
    fn forget_inputs(&mut self, task: TaskId, memory: MemoryId, view: &View<'_>) {
        let replicas = view.replicas;
        for input in view.tasks.get(task).inputs() {
            let is_coming = self.uses.count(input, memory) > 0
                || replicas.committed(input, memory) > 0
                || replicas.is_here(input, memory);
            if !is_coming {
                self.pool.set_here(input, memory, false, view.tasks);
            }
        }
    }

    /// When planned tasks use `handle` in `memory`.
    pub(super) fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.uses.next_use(handle, memory)
    }
}
