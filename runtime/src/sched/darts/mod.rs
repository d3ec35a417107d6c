//! Data-aware reactive task scheduling: choose a datum, and run what it frees (Gonthier 2023,
//! sections 4.3 and 5.2).
//!
//! A plan per site, that is per memory and class of workers (section 5.7), which the eviction of a
//! datum undoes; bounded queues of committed tasks per worker, whose data is being brought.

mod choice;

use crate::random::SplitMix64;
use crate::types::MemoryId;

use super::board::Board;
use super::{Build, HandleId, NextUse, Policy, PolicyOptions, Scheduler, TaskId, View, WorkerId};
use choice::{Choice, Rule};

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
    board: Board,
    random: SplitMix64,
    /// Tasks that are being planned.
    group: Vec<TaskId>,
}

impl Darts {
    fn boxed(rule: Rule, options: &PolicyOptions) -> Box<dyn Scheduler> {
        Box::new(Self {
            rule,
            board: Board::new(rule == Rule::Ratio, COMMITTED),
            random: SplitMix64::new(options.seed),
            group: Vec::new(),
        })
    }

    /// The site where `task` lacks nothing whose plan is the shortest (section 5.2.2).
    fn at_hand(&self, task: TaskId, view: &View<'_>) -> Option<usize> {
        if self.rule != Rule::Ratio {
            return None;
        }
        let sites = (0..self.board.sites()).filter(|&site| !self.board.pool.sites.holds_all(site));
        let at_hand =
            sites.filter(|&site| self.board.pool.lacks(task, site, view.tasks) == Some(0));
        at_hand.min_by_key(|&site| self.board.planned(site))
    }

    /// Plans more for `site`; whether there was anything.
    fn fill(&mut self, site: usize, view: &View<'_>) -> bool {
        let most = if self.board.pool.sites.holds_all(site) { 1 } else { ALL };
        let mut group = std::mem::take(&mut self.group);
        self.take_free(site, most, view, &mut group);
        if group.is_empty() {
            match self.rule.choose(&self.board.pool, site, view, &mut self.random) {
                Some(Choice::Datum(datum)) => self.freed_by(datum, site, view, &mut group),
                Some(Choice::Task(task)) => group.push(task),
                None => {}
            }
            group.truncate(most);
            group.iter().for_each(|&task| self.board.pool.remove(task, view.tasks));
        }
        let found = !group.is_empty();
        group.drain(..).for_each(|task| self.board.plan(task, 0, site, view));
        self.group = group;
        found
    }

    /// Takes tasks that lack nothing at `site`. The first version of the algorithm looks for them
    /// only when no datum would free any; it makes no difference but under `lru`, where what is at
    /// hand now is evicted by then.
    fn take_free(&mut self, site: usize, most: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        if self.rule != Rule::Ratio && !self.board.pool.gains(site).is_empty() {
            return;
        }
        while group.len() < most {
            let Some(task) = self.board.pool.pop_free(site) else { break };
            self.board.pool.remove(task, view.tasks);
            group.push(task);
        }
    }

    /// The tasks that lack only `datum` at `site`, in the order in which they are to run.
    fn freed_by(&self, datum: HandleId, site: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        let readers = self.board.pool.readers(datum).iter().copied();
        group.extend(readers.filter(|&task| self.board.pool.missing(task, site) == Some(1)));
        let by_priority = self.rule == Rule::Ratio;
        group.sort_unstable_by_key(|&task| {
            let row = view.tasks.get(task);
            (std::cmp::Reverse(if by_priority { row.priority } else { 0 }), row.index)
        });
    }
}

impl Scheduler for Darts {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, view: &View<'_>) {
        self.board.learn(view);
        for &task in tasks {
            self.board.look(task, view);
            match self.at_hand(task, view) {
                Some(site) => self.board.plan(task, 0, site, view),
                None => self.board.pool.enter(task, view.tasks),
            }
        }
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.board.learn(view);
        let site = self.board.pool.sites.of(worker);
        for _ in 0..room.min(self.board.room(worker, ALL)) {
            if self.board.planned(site) == 0 && !self.fill(site, view) {
                break;
            }
            out.extend(self.board.commit(worker, view));
        }
    }

    fn backlog(&self) -> usize {
        self.board.backlog()
    }

    fn lookahead(&self, pipeline: usize) -> usize {
        pipeline.max(COMMITTED)
    }

    fn finished(&mut self, _task: TaskId, worker: WorkerId, _view: &View<'_>) {
        self.board.finished(worker);
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.board.arrived(handle, memory, view);
    }

    fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.board.evicted(handle, memory, view);
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.board.next_use(handle, memory)
    }
}
