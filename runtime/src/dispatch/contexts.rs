//! What the dispatcher does with scheduling contexts, which are one policy to it else.

use super::worker::{Ahead, WorkerTasks};
use super::{Dispatcher, NoPlace, view};
use crate::sched::View;
use crate::sched::contexts::{ContextError, Contexts, JobReport, Resize};
use crate::trace::{ContextRecords, JobRecord, ResizeRecord, WorkerMove};
use crate::types::{ContextId, JobId, TaskId, WorkerId};

impl Dispatcher {
    /// # Errors
    /// If the context of the task's job has workers, none of which runs it.
    pub(super) fn admit_to_context(
        &mut self,
        id: TaskId,
        codelet: &'static str,
    ) -> Result<(), NoPlace> {
        if !self.has_contexts {
            return Ok(());
        }
        let Some(contexts) = self.scheduler.contexts() else { return Ok(()) };
        match contexts.refuses(self.tasks.job(id), self.tasks.all_nanoseconds(id)) {
            Some(context) => Err(NoPlace::NotInContext { context: context.to_owned(), codelet }),
            None => Ok(()),
        }
    }

    /// Changes contexts; [`pump`](Self::pump) must follow.
    ///
    /// # Errors
    /// Those of `change`, and that there are none.
    pub fn with_contexts<T>(
        &mut self,
        change: impl FnOnce(&mut Contexts, &View<'_>) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        let contexts = self.scheduler.contexts().ok_or(ContextError::Off)?;
        let result = change(contexts, &view!(self))?;
        let (machine, scheduler) = (&self.machine, &*self.scheduler);
        self.ahead = machine.workers.iter().map(|worker| Ahead::new(worker, scheduler)).collect();
        self.take_hints();
        Ok(result)
    }

    /// The workers that have `task`, if they are a team.
    pub(crate) fn team_of(&mut self, task: TaskId) -> &[WorkerId] {
        if !self.has_contexts {
            return &[];
        }
        self.scheduler.contexts().map_or(&[], |contexts| contexts.team_of(task))
    }

    /// What a trace keeps of the contexts.
    pub(crate) fn context_records(&mut self) -> ContextRecords {
        let Some(contexts) = self.scheduler.contexts() else { return ContextRecords::default() };
        let job = |job: JobReport| JobRecord { name: job.name, context: job.context.0.into() };
        let moved = |&(worker, left, joined): &(WorkerId, ContextId, ContextId)| WorkerMove {
            worker: worker.0,
            left: left.0.into(),
            joined: joined.0.into(),
        };
        let resize = |resize: &Resize| ResizeRecord {
            time: resize.time,
            trigger: resize.trigger.name(),
            policy: resize.policy,
            decision: resize.decision,
            moved: resize.moved.iter().map(moved).collect(),
        };
        ContextRecords {
            names: contexts.contexts().map(|(name, ..)| name.to_owned()).collect(),
            jobs: contexts.jobs().into_iter().map(job).collect(),
            resizes: contexts.resizes().iter().map(resize).collect(),
        }
    }

    /// A task of `job` ends before it was handed over.
    pub(crate) fn skipped(&mut self, job: JobId) {
        if let Some(contexts) = self.scheduler.contexts() {
            contexts.skipped(job, &view!(self));
            self.take_hints();
        }
    }

    /// When something is to be done although nothing happens.
    pub(crate) fn wakes_at(&mut self) -> Option<u64> {
        if !self.has_contexts {
            return None;
        }
        self.scheduler.contexts()?.wakes_at()
    }

    /// Whether tasks wait, and none that runs or is to begin will end.
    fn is_at_rest(&mut self) -> bool {
        self.scheduler.backlog() > 0
            && self.worker_tasks.iter().all(WorkerTasks::is_empty)
            && self.scheduler.contexts().is_some_and(|contexts| contexts.starts_at().is_none())
    }

    /// Gives workers to tasks that wait for some which nothing under way can give them, as far as
    /// whoever moves workers took them; [`pump`](Self::pump) must follow if this says that it did.
    pub(crate) fn rescue(&mut self) -> bool {
        if !self.has_contexts || !self.is_at_rest() {
            return false;
        }
        let Some(contexts) = self.scheduler.contexts() else { return false };
        let any = contexts.rescue(&view!(self));
        self.take_hints();
        any
    }

    /// Takes the tasks out that wait for workers which nothing under way can give them, appends
    /// them to `stuck`, and says why.
    pub(crate) fn take_stuck(&mut self, stuck: &mut Vec<TaskId>) -> Option<NoPlace> {
        if !self.has_contexts {
            let is_idle = self.worker_tasks.iter().all(WorkerTasks::is_empty);
            let waiting = is_idle.then(|| self.scheduler.take_stuck(stuck)).flatten()?;
            return Some(NoPlace::OutOfOrder { waiting });
        }
        if !self.is_at_rest() || self.wakes_at().is_some() {
            return None;
        }
        let context = self.scheduler.contexts()?.take_stuck(stuck);
        (!stuck.is_empty()).then_some(NoPlace::EmptyContext { context })
    }
}
