//! Contexts whose workers are one team: each of their tasks has all of them (Hugo 2014, section
//! 2.4: a context without policy).
//!
//! The first worker of the context, its *master*, is given a task once all have run what they
//! hold, and the others rest until it ends, so that no core has two busy threads. They rest as soon
//! as a task waits, lest it wait for ever; contexts that a worker asks before the team may still
//! give it tasks.

use crate::platform::WorkerKind;
use crate::sched::View;
use crate::types::{ContextId, TaskId, WorkerId};

use super::Contexts;
use super::spec::{ContextError, ContextSpec, Limits};

/// A task that has a team, committed or running.
#[derive(Debug)]
pub(super) struct Working {
    task: TaskId,
    pub(super) members: Vec<WorkerId>,
}

/// What a worker does about a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It takes this many tasks at most.
    Takes(usize),
    /// It asks no other, either.
    Rests,
}

impl Contexts {
    /// The context to be made, with no device among its workers, now or later, if it is a team.
    pub(super) fn as_team(&self, mut spec: ContextSpec) -> Result<ContextSpec, ContextError> {
        if !spec.is_team {
            return Ok(spec);
        }
        if spec.policy.plans() {
            return Err(ContextError::TeamPlans { policy: spec.policy.name });
        }
        self.check_cores(&spec, &spec.workers)?;
        for (class, &group) in self.groups.iter().enumerate() {
            if self.machine.classes[class].kind != WorkerKind::Cpu {
                let count = spec.limits.len().max(group + 1);
                spec.limits.resize(count, Limits::NONE);
                spec.limits[group] = Limits { least: 0, most: 0 };
            }
        }
        Ok(spec)
    }

    /// # Errors
    /// If `spec` is of a team, and one of the `workers` is no core.
    pub(super) fn check_cores(
        &self,
        spec: &ContextSpec,
        workers: &[WorkerId],
    ) -> Result<(), ContextError> {
        match workers.iter().find(|&&worker| spec.is_team && !self.is_core(worker)) {
            Some(&worker) => Err(ContextError::NoCore { worker, context: spec.name.clone() }),
            None => Ok(()),
        }
    }

    pub(super) fn is_core(&self, worker: WorkerId) -> bool {
        self.machine.kind(worker) == WorkerKind::Cpu
    }

    /// What `worker`, which has room for `room` tasks, does about `id` when it comes to that.
    pub(super) fn turn(&self, worker: WorkerId, room: usize, id: ContextId) -> Turn {
        let context = &self.contexts[usize::from(id.0)];
        if !context.spec.is_team || context.backlog == 0 {
            return Turn::Takes(room);
        }
        let is_free = |member: &WorkerId| {
            let member = &self.workers[member.0];
            member.held.is_empty() && !member.is_in_team
        };
        let is_master = context.workers.first() == Some(&worker);
        if is_master && context.working.is_none() && context.workers.iter().all(is_free) {
            Turn::Takes(1)
        } else {
            Turn::Rests
        }
    }

    /// Notes that the workers of `id` are the team of `task`, which was given to its master.
    pub(super) fn gather(&mut self, id: ContextId, task: TaskId) {
        let context = &mut self.contexts[usize::from(id.0)];
        let members = context.workers.clone();
        for member in &members {
            let member = &mut self.workers[member.0];
            (member.is_in_team, member.idle_since) = (true, None);
            member.turn += 1;
        }
        context.working = Some(Working { task, members });
    }

    /// Notes that `task` of `id` is done; says how many workers had it.
    pub(super) fn part(&mut self, id: ContextId, task: TaskId, view: &View<'_>) -> usize {
        let working = &mut self.contexts[usize::from(id.0)].working;
        let Some(done) = working.take_if(|working| working.task == task) else { return 1 };
        for member in &done.members {
            let member = &mut self.workers[member.0];
            member.is_in_team = false;
            if member.held.is_empty() {
                member.idle_since = Some(view.now);
            }
        }
        done.members.len()
    }

    /// The workers that have `task`, which was committed: the team of its context, or none beside
    /// its own.
    pub(crate) fn team_of(&self, task: TaskId) -> &[WorkerId] {
        let context = self.marks.get(task.0 as usize).map_or(0, |mark| mark.context);
        let working = self.contexts[usize::from(context)].working.as_ref();
        working.filter(|working| working.task == task).map_or(&[], |working| &working.members)
    }
}
