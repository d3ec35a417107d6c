//! Contexts and jobs of a flow: which tasks are run by which workers, under which policy.

use super::graph::Graph;
use super::{Flow, LookAtContexts};
use crate::sched::View;
use crate::sched::contexts::{ContextError, ContextSpec, Contexts, JobSpec, Move};
use crate::sched::hypervisor::{Hypervisor, PlannedMove};
use crate::types::{ContextId, JobId};

impl Flow {
    /// Makes a context: workers with a policy of their own, for the jobs that are added to it.
    ///
    /// Over ranks each makes it of its own workers.
    ///
    /// # Errors
    /// If the engine was started without contexts, there is no such worker, or a context that loses
    /// workers could not go on without them.
    pub fn add_context(&mut self, spec: ContextSpec) -> Result<ContextId, ContextError> {
        self.with_contexts(|contexts, view| contexts.create(spec, view))
    }

    /// Makes a job: tasks that begin and end together, in one context. Submit them
    /// [within](Self::within) it, then [close](Self::close_job) it.
    ///
    /// # Errors
    /// If there is no such context, or no such job that it is to follow.
    pub fn add_job(&mut self, spec: JobSpec) -> Result<JobId, ContextError> {
        self.with_contexts(|contexts, view| contexts.add_job(spec, view))
    }

    /// Submits what `program` submits as tasks of `job`.
    pub fn within<T>(&mut self, job: JobId, program: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.graph.set_job(job);
        let result = program(self);
        self.graph.set_job(before);
        result
    }

    /// Says that all tasks of `job` were submitted: it ends when they are done, and its context
    /// with its last job, whose workers then go to contexts that have work.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn close_job(&mut self, job: JobId) -> Result<(), ContextError> {
        let tasks = self.graph.tasks_of(job);
        self.with_contexts(|contexts, view| contexts.close_job(job, tasks, view))
    }

    /// Moves workers between contexts, while tasks run.
    ///
    /// # Errors
    /// If a worker is not where it is to leave, or a context could not go on without it.
    pub fn move_workers(&mut self, change: &Move) -> Result<(), ContextError> {
        self.with_contexts(|contexts, view| contexts.move_workers(change, view))
    }

    /// Ends a context that has nothing more to run; its workers go to contexts that have.
    ///
    /// # Errors
    /// If there is no such context.
    pub fn end_context(&mut self, context: ContextId) -> Result<(), ContextError> {
        self.with_contexts(|contexts, view| contexts.end(context, view))
    }

    /// Has `hypervisor` move workers between contexts from now on.
    ///
    /// # Errors
    /// If the engine was started without contexts.
    pub fn set_hypervisor(&mut self, hypervisor: Hypervisor) -> Result<(), ContextError> {
        self.with_contexts(|contexts, _| {
            contexts.set_hypervisor(hypervisor);
            Ok(())
        })
    }

    /// Has workers moved when a job begins or ends.
    ///
    /// # Errors
    /// If the engine was started without contexts.
    ///
    /// # Panics
    /// If there is no hypervisor.
    pub fn plan_move(&mut self, planned: &PlannedMove) -> Result<(), ContextError> {
        self.with_contexts(|contexts, _| {
            let hypervisor = contexts.hypervisor_mut().expect("a hypervisor moves workers");
            hypervisor.plan(planned.clone());
            Ok(())
        })
    }

    /// Looks at the contexts, or changes them.
    ///
    /// # Errors
    /// Those of `look`, and if the engine was started without contexts.
    pub fn with_contexts<T>(
        &mut self,
        look: impl FnOnce(&mut Contexts, &View<'_>) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        once(look, |look| self.engine.with_contexts(look))
    }
}

/// Has `call` call `look` once, and gives back what that has found.
pub(crate) fn once<T>(
    look: impl FnOnce(&mut Contexts, &View<'_>) -> Result<T, ContextError>,
    call: impl FnOnce(&mut LookAtContexts<'_>) -> Result<(), ContextError>,
) -> Result<T, ContextError> {
    let (mut look, mut result) = (Some(look), None);
    call(&mut |contexts, view| {
        let look = look.take().expect("contexts are looked at once");
        result = Some(look(contexts, view)?);
        Ok(())
    })?;
    Ok(result.expect("contexts were looked at"))
}

impl Graph {
    /// Submits for `job` from now on; says for which it did before.
    pub(crate) fn set_job(&mut self, job: JobId) -> JobId {
        std::mem::replace(&mut self.job, job)
    }

    /// Tasks of `job` submitted that a worker must run.
    pub(crate) fn tasks_of(&self, job: JobId) -> u64 {
        self.job_tasks.get(usize::from(job.0)).copied().unwrap_or(0)
    }

    /// Counts a task of the job that is being submitted for.
    #[cold]
    pub(super) fn count_for_job(&mut self) {
        let place = usize::from(self.job.0);
        if place >= self.job_tasks.len() {
            self.job_tasks.resize(place + 1, 0);
        }
        self.job_tasks[place] += 1;
    }
}
