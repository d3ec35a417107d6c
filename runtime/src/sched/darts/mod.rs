//! Data-aware reactive task scheduling: choose a datum, and run what it frees (Gonthier 2023,
//! sections 4.3 and 5.2).
//!
//! A plan per site, that is per memory and class of workers (section 5.7), which the eviction of a
//! datum undoes; bounded queues of committed tasks per worker, whose data is being brought.

mod choice;
mod pool;

use std::collections::VecDeque;

use crate::platform::MemoryId;
use crate::random::SplitMix64;

use super::sites::{Sites, Uses};
use super::{Build, HandleId, NextUse, Policy, PolicyOptions, Scheduler, TaskId, View, WorkerId};
use choice::{Choice, Rule};
use pool::Pool;

const ALL: usize = usize::MAX;

pub(super) const DARTS: Policy = Policy {
    name: "darts",
    summary: "bring the datum with the shortest transfer for the longest work, and run that work",
    build: Build::Plan(|options| Darts::boxed(Rule::Ratio, options)),
    eviction: "luf",
};

pub(super) const V1: Policy = Policy {
    name: "darts-v1",
    summary: "as darts; the datum that frees most tasks, and no priorities",
    build: Build::Plan(|options| Darts::boxed(Rule::Most { pairs: false, compared: ALL }, options)),
    eviction: "luf",
};

pub(super) const THREE_INPUTS: Policy = Policy {
    name: "darts-3inputs",
    summary: "as darts-v1; two data for a task where none alone frees any",
    build: Build::Plan(|options| Darts::boxed(Rule::Most { pairs: true, compared: ALL }, options)),
    eviction: "luf",
};

pub(super) const OPTI: Policy = Policy {
    name: "darts-opti",
    summary: "as darts-v1; the first datum that frees any task",
    build: Build::Plan(|options| Darts::boxed(Rule::Most { pairs: false, compared: 1 }, options)),
    eviction: "luf",
};

/// The thesis gives no value for its bound on the data that are compared.
pub(super) const THRESHOLD: Policy = Policy {
    name: "darts-threshold",
    summary: "as darts-v1; compares 64 data at most",
    build: Build::Plan(|options| Darts::boxed(Rule::Most { pairs: false, compared: 64 }, options)),
    eviction: "luf",
};

/// Tasks that are committed to the workers of a memory at once (section 4.3.2).
const COMMITTED: usize = 30;

struct Darts {
    rule: Rule,
    pool: Pool,
    /// By site.
    plans: Vec<VecDeque<TaskId>>,
    /// Planned tasks by handle and memory.
    uses: Uses,
    /// By worker, the committed tasks that are not done.
    committed: Vec<usize>,
    /// By worker, most of them.
    most: Vec<usize>,
    random: SplitMix64,
    /// Tasks that are being planned.
    group: Vec<TaskId>,
}

impl Darts {
    fn boxed(rule: Rule, options: &PolicyOptions) -> Box<dyn Scheduler> {
        Box::new(Self {
            rule,
            pool: Pool::new(rule == Rule::Ratio),
            plans: Vec::new(),
            uses: Uses::default(),
            committed: vec![0; options.workers],
            most: Vec::new(),
            random: SplitMix64::new(options.seed),
            group: Vec::new(),
        })
    }

    fn learn(&mut self, view: &View<'_>) {
        if self.pool.sites.is_known() {
            return;
        }
        let mut sites = Sites::default();
        sites.learn(view.machine);
        self.plans = vec![VecDeque::new(); sites.list.len()];
        for (number, worker) in view.machine.workers.iter().enumerate() {
            let beside = view.machine.workers.iter().filter(|other| other.memory == worker.memory);
            let share = COMMITTED / beside.count();
            let is_fed = !sites.holds_all(sites.of(WorkerId(number)));
            self.most.push(worker.pipeline.max(if is_fed { share } else { 1 }));
        }
        self.pool.learn(sites);
    }

    /// Notes what became valid somewhere without word of it: data that was there from the start.
    fn look(&mut self, task: TaskId, view: &View<'_>) {
        for handle in view.tasks.get(task).handles() {
            self.pool.reserve(handle);
            for memory in (0..self.pool.sites.memories).map(MemoryId) {
                if view.replicas.is_here(handle, memory) {
                    self.pool.set_here(handle, memory, true, view.tasks);
                }
            }
        }
    }

    /// The site where `task` lacks nothing whose plan is the shortest (section 5.2.2).
    fn at_hand(&self, task: TaskId, view: &View<'_>) -> Option<usize> {
        if self.rule != Rule::Ratio {
            return None;
        }
        let sites = (0..self.plans.len()).filter(|&site| !self.pool.sites.holds_all(site));
        let at_hand = sites.filter(|&site| self.pool.lacks(task, site, view.tasks) == Some(0));
        at_hand.min_by_key(|&site| self.plans[site].len())
    }

    /// Appends `task`, which is not in the pool, to the plan of `site`.
    fn plan(&mut self, task: TaskId, site: usize, view: &View<'_>) {
        let memory = self.pool.sites.list[site].memory;
        self.plans[site].push_back(task);
        for handle in view.tasks.get(task).inputs() {
            self.uses.add(handle, memory, self.pool.sites.memories);
            self.pool.set_here(handle, memory, true, view.tasks);
        }
    }

    /// Plans more for `site`; whether there was anything.
    fn fill(&mut self, site: usize, view: &View<'_>) -> bool {
        let most = if self.pool.sites.holds_all(site) { 1 } else { ALL };
        let mut group = std::mem::take(&mut self.group);
        self.take_free(site, most, view, &mut group);
        if group.is_empty() {
            match self.rule.choose(&self.pool, site, view, &mut self.random) {
                Some(Choice::Datum(datum)) => self.freed_by(datum, site, view, &mut group),
                Some(Choice::Task(task)) => group.push(task),
                None => {}
            }
            group.truncate(most);
            group.iter().for_each(|&task| self.pool.remove(task, view.tasks));
        }
        let found = !group.is_empty();
        group.drain(..).for_each(|task| self.plan(task, site, view));
        self.group = group;
        found
    }

    /// Takes tasks that lack nothing at `site`. The first version of the algorithm looks for them
    /// only when no datum would free any; it makes no difference but under `lru`, where what is at
    /// hand now is evicted by then.
    fn take_free(&mut self, site: usize, most: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        if self.rule != Rule::Ratio && !self.pool.gains(site).is_empty() {
            return;
        }
        while group.len() < most {
            let Some(task) = self.pool.pop_free(site) else { break };
            self.pool.remove(task, view.tasks);
            group.push(task);
        }
    }

    /// The tasks that lack only `datum` at `site`, in the order in which they are to run.
    fn freed_by(&self, datum: HandleId, site: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        let readers = self.pool.readers(datum).iter().copied();
        group.extend(readers.filter(|&task| self.pool.missing(task, site) == Some(1)));
        let by_priority = self.rule == Rule::Ratio;
        group.sort_unstable_by_key(|&task| {
            let row = view.tasks.get(task);
            (std::cmp::Reverse(if by_priority { row.priority } else { 0 }), row.index)
        });
    }

    /// Counts `task` as no longer planned for `memory`.
    fn unplan(&mut self, task: TaskId, memory: MemoryId, view: &View<'_>) {
        for handle in view.tasks.get(task).inputs() {
            self.uses.remove(handle, memory);
        }
    }

    /// Takes what reads `handle` out of the plans of `memory`, back into the pool. Data that was to
    /// come for these tasks alone is no longer expected.
    fn withdraw(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        let mut group = std::mem::take(&mut self.group);
        for (site, plan) in self.pool.sites.list.iter().zip(&mut self.plans) {
            if site.memory == memory {
                plan.retain(|&task| {
                    let reads = view.tasks.get(task).inputs().any(|input| input == handle);
                    if reads {
                        group.push(task);
                    }
                    !reads
                });
            }
        }
        for &task in &group {
            self.unplan(task, memory, view);
            for input in view.tasks.get(task).inputs() {
                let replicas = view.replicas;
                let is_coming = self.uses.count(input, memory) > 0
                    || replicas.committed(input, memory) > 0
                    || replicas.is_here(input, memory);
                if !is_coming {
                    self.pool.set_here(input, memory, false, view.tasks);
                }
            }
        }
        group.drain(..).for_each(|task| self.pool.enter(task, view.tasks));
        self.group = group;
    }
}

impl Scheduler for Darts {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, view: &View<'_>) {
        self.learn(view);
        for &task in tasks {
            self.look(task, view);
            match self.at_hand(task, view) {
                Some(site) => self.plan(task, site, view),
                None => self.pool.enter(task, view.tasks),
            }
        }
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.learn(view);
        let (site, memory) = (self.pool.sites.of(worker), view.memory(worker));
        let most = self.most[worker.0].saturating_sub(self.committed[worker.0]);
        for _ in 0..room.min(most) {
            if self.plans[site].is_empty() && !self.fill(site, view) {
                break;
            }
            let Some(task) = self.plans[site].pop_front() else { break };
            self.unplan(task, memory, view);
            self.committed[worker.0] += 1;
            out.push(task);
        }
    }

    fn backlog(&self) -> usize {
        self.pool.ready().len() + self.plans.iter().map(VecDeque::len).sum::<usize>()
    }

    fn lookahead(&self, pipeline: usize) -> usize {
        pipeline.max(COMMITTED)
    }

    fn finished(&mut self, _task: TaskId, worker: WorkerId, _view: &View<'_>) {
        self.committed[worker.0] -= 1;
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.learn(view);
        self.pool.reserve(handle);
        self.pool.set_here(handle, memory, true, view.tasks);
    }

    fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.learn(view);
        self.pool.reserve(handle);
        self.pool.set_here(handle, memory, false, view.tasks);
        if self.uses.count(handle, memory) > 0 {
            self.withdraw(handle, memory, view);
        }
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.uses.next_use(handle, memory)
    }
}
