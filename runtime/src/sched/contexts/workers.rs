//! Which worker is in which contexts, whose tasks it holds, and how it changes.

use crate::types::{ContextId, TaskId, WorkerId};

use super::spec::{ContextError, Move};
use super::team::Turn;
use super::{Contexts, View, waits_in};
use crate::sched::hypervisor::{Notice, Trigger};

/// A worker, as contexts see it.
#[derive(Debug)]
pub(super) struct Worker {
    /// The contexts that it is in, beside that of all workers.
    contexts: Vec<ContextId>,
    /// Tasks that it was given and that are not done.
    pub(super) held: Vec<TaskId>,
    /// How often it was given tasks: contexts of one priority take turns.
    pub(super) turn: usize,
    /// Whether it is of a team that has a task.
    pub(super) is_in_team: bool,
    /// When its last task ended.
    pub(super) last_end: u64,
    /// Since when it is without a task.
    pub(super) idle_since: Option<u64>,
}

impl Worker {
    pub(super) fn new() -> Self {
        Self {
            contexts: Vec::new(),
            held: Vec::new(),
            turn: 0,
            is_in_team: false,
            last_end: 0,
            idle_since: Some(0),
        }
    }

    /// Notes that `task` is done.
    pub(super) fn give_back(&mut self, task: TaskId, now: u64) {
        let place = self.held.iter().position(|&held| held == task);
        self.held.swap_remove(place.expect("a task ends on the worker that it was given to"));
        self.last_end = now;
        if self.held.is_empty() {
            self.idle_since = Some(now);
        }
    }
}

impl Contexts {
    /// Commits tasks to `worker`.
    pub(super) fn refill_worker(
        &mut self,
        worker: WorkerId,
        room: usize,
        view: &View<'_>,
        out: &mut Vec<TaskId>,
    ) {
        if self.workers[worker.0].is_in_team {
            return;
        }
        let first = out.len();
        for id in self.order(worker) {
            let given = out.len() - first;
            if given == room || !self.may_serve(worker, id) {
                break;
            }
            let Turn::Takes(room) = self.turn(worker, room - given, id) else { break };
            let held = self.workers[worker.0].held.len();
            let context = &mut self.contexts[usize::from(id.0)];
            let before = out.len();
            let count = context.refill(worker, (room, held), view, out);
            if count == 0 {
                continue;
            }
            context.statistics.committed += count as u64;
            let epoch = context.epoch;
            for &task in &out[before..] {
                let mark = self.mark(task);
                (mark.is_waiting, mark.epoch) = (false, epoch);
                view.tasks.get(task).handles().for_each(|handle| self.own(handle, id));
            }
            self.backlog -= count;
            self.notice(Notice::Given { context: id, worker, tasks: count });
            let own = &mut self.workers[worker.0];
            own.held.extend_from_slice(&out[before..]);
            (own.turn, own.idle_since) = (own.turn + 1, None);
            if self.contexts[usize::from(id.0)].spec.is_team {
                self.gather(id, out[before]);
            }
            let marks = &self.marks;
            self.contexts[usize::from(id.0)].trim(waits_in(marks, id));
            if self.workers[worker.0].is_in_team {
                break;
            }
        }
    }

    /// The contexts of `worker` in the order in which it asks them.
    fn order(&self, worker: WorkerId) -> Vec<ContextId> {
        let own = &self.workers[worker.0];
        let mut list: Vec<ContextId> = own.contexts.clone();
        let priority = |id: ContextId| self.contexts[usize::from(id.0)].spec.priority;
        list.sort_by_key(|&id| std::cmp::Reverse(priority(id)));
        for alike in list.chunk_by_mut(|&one, &other| priority(one) == priority(other)) {
            alike.rotate_left(own.turn % alike.len());
        }
        list.push(ContextId::ROOT);
        list
    }

    /// Whether `worker` has run all that contexts committed to it which it has left, so that
    /// `context` may give it tasks.
    fn may_serve(&self, worker: WorkerId, context: ContextId) -> bool {
        let own = &self.workers[worker.0];
        let is_in = |id: ContextId| id == ContextId::ROOT || own.contexts.contains(&id);
        is_in(context)
            && own.held.iter().all(|task| is_in(ContextId(self.marks[task.0 as usize].context)))
    }

    /// The contexts that `worker` is in, beside that of all workers.
    pub(crate) fn of_worker(&self, worker: WorkerId) -> &[ContextId] {
        &self.workers[worker.0].contexts
    }

    /// Whether `worker` has a task of `context`.
    pub(crate) fn works_for(&self, worker: WorkerId, context: ContextId) -> bool {
        let mut held = self.workers[worker.0].held.iter();
        held.any(|task| self.marks[task.0 as usize].context == context.0)
    }

    /// # Errors
    /// If there is no such worker.
    pub(super) fn check_workers(&self, workers: &[WorkerId]) -> Result<(), ContextError> {
        let unknown = workers.iter().find(|worker| worker.0 >= self.workers.len());
        unknown
            .map_or(Ok(()), |&worker| Err(ContextError::NoSuchWorker(worker, self.workers.len())))
    }

    /// # Errors
    /// If workers are not where they are to leave, or a context could not go on without them.
    pub(in crate::sched) fn check(
        &self,
        Move { from, to, workers }: &Move,
    ) -> Result<(), ContextError> {
        self.check_workers(workers)?;
        for &id in from.iter().chain(to) {
            self.live(id)?;
        }
        if *from == Some(ContextId::ROOT) || *to == Some(ContextId::ROOT) {
            return Err(ContextError::Root);
        }
        if let Some(to) = to {
            self.check_cores(&self.contexts[usize::from(to.0)].spec, workers)?;
        }
        if let Some(id) = from {
            let context = &self.contexts[usize::from(id.0)];
            if let Some(&worker) = workers.iter().find(|&&worker| !context.has(worker)) {
                let context = context.spec.name.clone();
                return Err(ContextError::NotThere { worker, context });
            }
        }
        for (number, context) in self.contexts.iter().enumerate().skip(1) {
            let id = ContextId(number as u16);
            let leaves = from.is_none_or(|from| from == id) && *to != Some(id);
            if context.is_ended || !leaves || !workers.iter().any(|&worker| context.has(worker)) {
                continue;
            }
            let stay = context.workers.iter().copied().filter(|worker| !workers.contains(worker));
            let stay: Vec<WorkerId> = stay.collect();
            if !stay.is_empty() && !context.is_served_by(&stay, &self.machine) {
                return Err(ContextError::Starved { context: context.spec.name.clone() });
            }
        }
        Ok(())
    }

    /// Moves workers.
    pub(in crate::sched) fn carry_out(
        &mut self,
        Move { from, to, workers }: &Move,
        view: &View<'_>,
    ) {
        let affected: Vec<ContextId> = (1..self.contexts.len())
            .map(|number| ContextId(number as u16))
            .filter(|id| from.is_none_or(|from| from == *id) && *to != Some(*id))
            .collect();
        for id in affected {
            let context = &self.contexts[usize::from(id.0)];
            if workers.iter().any(|&worker| context.has(worker)) {
                let stay = context.workers.iter().copied();
                let stay = stay.filter(|worker| !workers.contains(worker)).collect();
                self.seat(id, stay, view);
            }
        }
        if let Some(to) = *to {
            let there = self.contexts[usize::from(to.0)].workers.iter().chain(workers);
            let all: Vec<WorkerId> = there.copied().collect();
            self.seat(to, all, view);
        }
    }

    /// Gives `id` these workers, and no others.
    pub(in crate::sched) fn seat(
        &mut self,
        id: ContextId,
        mut workers: Vec<WorkerId>,
        view: &View<'_>,
    ) {
        if self.contexts[usize::from(id.0)].spec.is_team {
            workers.retain(|&worker| self.is_core(worker));
        }
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let is_in = worker.contexts.contains(&id);
            match workers.contains(&WorkerId(number)) {
                true if !is_in => {
                    worker.contexts.push(id);
                    self.changes.push((WorkerId(number), id, true));
                    // Its time without a task counts anew.
                    worker.idle_since = worker.idle_since.map(|_| view.now);
                }
                false if is_in => {
                    worker.contexts.retain(|&other| other != id);
                    self.changes.push((WorkerId(number), id, false));
                }
                _ => {}
            }
        }
        let (marks, context) = (&self.marks, &mut self.contexts[usize::from(id.0)]);
        if context.workers != workers {
            context.set_workers(workers, view, waits_in(marks, id));
        }
    }

    /// Takes leave of the workers of `id`, which has ended: they go to the children of its parent
    /// that have work, each to the one with most tasks waiting for each of its workers, else to the
    /// parent.
    pub(super) fn release(&mut self, id: ContextId, view: &View<'_>) {
        let number = usize::from(id.0);
        let leaving = self.contexts[number].workers.clone();
        let parent = self.contexts[number].spec.parent;
        self.seat(id, Vec::new(), view);
        for worker in leaving {
            if !self.workers[worker.0].contexts.is_empty() {
                continue;
            }
            if let Some(to) = self.neediest(parent, worker, view) {
                self.carry_out(&Move { from: None, to: Some(to), workers: vec![worker] }, view);
            }
        }
        self.notice(Notice::Ended { context: id });
        let trigger = Trigger::EndedContext(id);
        self.note(trigger, "release", 0, view);
        self.consider(trigger, view);
    }

    /// Of the children of `parent`, and of itself, the context that has most to do for each of its
    /// workers and may have `worker`.
    fn neediest(&self, parent: ContextId, worker: WorkerId, view: &View<'_>) -> Option<ContextId> {
        let class = view.machine.workers[worker.0].class.0;
        let group = self.groups[class];
        let need = |number: usize| {
            let context = &self.contexts[number];
            let left: f64 = self.left(ContextId(number as u16));
            let workers = context.workers.len();
            let useful =
                context.types.iter().any(|t| t.left > 0 && t.nanoseconds[class] != u64::MAX)
                    || context.types.is_empty();
            let has_room = context.count(&self.groups)[group] < context.limits(group).most;
            (!context.is_ended && left > 0.0 && useful && has_room)
                .then(|| left / (workers as f64 + 0.5))
        };
        let child = |&number: &usize| self.contexts[number].spec.parent == parent;
        let best = (1..self.contexts.len())
            .filter(child)
            .filter_map(|number| need(number).map(|need| (need, number)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let parent = usize::from(parent.0);
        let fallback = || (parent > 0 && !self.contexts[parent].is_ended).then_some(parent);
        best.map(|(_, number)| number).or_else(fallback).map(|number| ContextId(number as u16))
    }

    /// Whether a job of `context` has begun and not ended.
    pub(super) fn is_open(&self, context: ContextId) -> bool {
        let mut own = self.jobs.iter().filter(|job| job.spec.context == context);
        own.any(|job| job.began.is_some() && job.ended.is_none())
    }

    /// What `context` has still to do: operations if they are known, else tasks; 0 if all its jobs
    /// have ended.
    pub(crate) fn left(&self, context: ContextId) -> f64 {
        let own = &self.contexts[usize::from(context.0)];
        let open = self.jobs.iter().filter(|job| {
            job.spec.context == context && job.ended.is_none() && job.began.is_some()
        });
        let announced: f64 = open
            .map(|job| match job.spec.work.flops {
                Some(flops) => (flops - job.flops).max(1.0),
                None => 0.0,
            })
            .sum();
        let by_type: f64 =
            own.types.iter().map(|kind| kind.left as f64 * kind.flops.max(1.0)).sum();
        announced.max(by_type)
    }
}
