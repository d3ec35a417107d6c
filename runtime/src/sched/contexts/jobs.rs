//! Jobs: when they begin and end, and with them their contexts.

use crate::sched::View;
use crate::sched::hypervisor::Trigger;
use crate::types::{ContextId, JobId, TaskId};

use super::spec::{ContextError, JobSpec};
use super::{Contexts, MOST, waits_in};

/// A job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) spec: JobSpec,
    /// When it began.
    pub(super) began: Option<u64>,
    /// When it ended.
    pub(super) ended: Option<u64>,
    /// Tasks of it that came before it began.
    pub(super) held: Vec<TaskId>,
    /// How many tasks it has in all, once that is known.
    tasks: Option<u64>,
    pub(super) done: u64,
    pub(super) flops: f64,
}

/// What happened to a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobReport {
    /// Its name.
    pub name: String,
    /// Its context.
    pub context: ContextId,
    /// When it began, in nanoseconds since the engine was made.
    pub began: Option<u64>,
    /// When its last task ended.
    pub ended: Option<u64>,
    /// Operations of its tasks that were done.
    pub flops: f64,
}

impl Contexts {
    /// Makes a job.
    ///
    /// # Errors
    /// If there is no such context, or no such job that it is to follow.
    pub fn add_job(&mut self, spec: JobSpec, view: &View<'_>) -> Result<JobId, ContextError> {
        self.live(spec.context)?;
        let jobs = spec.start.jobs();
        if let Some(&unknown) = jobs.iter().find(|job| usize::from(job.0) >= self.jobs.len()) {
            return Err(ContextError::UnknownJob(unknown));
        }
        if self.jobs.len() == MOST {
            return Err(ContextError::TooMany { most: MOST });
        }
        let id = JobId(self.jobs.len() as u16);
        let context = &mut self.contexts[usize::from(spec.context.0)];
        spec.work.types.iter().for_each(|count| context.announce(count));
        self.jobs.push(Job::new(spec, None));
        self.start_jobs(view);
        Ok(id)
    }

    /// Says that `job` has so many tasks in all: it ends when they are done.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn close_job(
        &mut self,
        job: JobId,
        tasks: u64,
        view: &View<'_>,
    ) -> Result<(), ContextError> {
        let known = self.jobs.get_mut(usize::from(job.0)).filter(|_| job != JobId::default());
        known.ok_or(ContextError::UnknownJob(job))?.tasks = Some(tasks);
        self.end_jobs(job, view);
        Ok(())
    }

    /// Says that what is done of `job` is all of it.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn finish_job(&mut self, job: JobId, view: &View<'_>) -> Result<(), ContextError> {
        let known = self.jobs.get(usize::from(job.0));
        let done = known.ok_or(ContextError::UnknownJob(job))?.done;
        self.close_job(job, done, view)
    }

    /// Notes that a task of `job` was skipped or failed before it was handed over.
    pub fn skipped(&mut self, job: JobId, view: &View<'_>) {
        self.jobs[usize::from(job.0)].done += 1;
        self.end_jobs(job, view);
    }

    /// Takes the tasks of `job` back that are not committed, and appends them to `out`.
    pub(crate) fn recall(&mut self, job: JobId, view: &View<'_>, out: &mut Vec<TaskId>) {
        let first = out.len();
        out.append(&mut self.jobs[usize::from(job.0)].held);
        let id = self.jobs[usize::from(job.0)].spec.context;
        let (marks, context) = (&self.marks, &mut self.contexts[usize::from(id.0)]);
        context.recall(view, waits_in(marks, id), |task| view.tasks.job(task) == job, out);
        for task in &out[first..] {
            self.marks[task.0 as usize].is_waiting = false;
        }
        self.backlog -= out.len() - first;
        self.jobs[usize::from(job.0)].done += (out.len() - first) as u64;
        self.end_jobs(job, view);
    }

    /// Every job, by number.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobReport> {
        self.jobs.iter().map(Job::report).collect()
    }

    /// Whether all jobs have ended that `job` waits for.
    pub(super) fn is_free(&self, job: &Job) -> bool {
        let mut before = job.spec.start.jobs().iter();
        before.all(|job| self.jobs[usize::from(job.0)].ended.is_some())
    }

    /// Begins the jobs whose time has come; says whether there were any.
    pub(super) fn start_jobs(&mut self, view: &View<'_>) -> bool {
        let mut any = false;
        for number in 1..self.jobs.len() {
            let job = &self.jobs[number];
            let is_due =
                job.began.is_none() && job.spec.start.time() <= view.now && self.is_free(job);
            if is_due {
                self.start_job(JobId(number as u16), view);
                any = true;
            }
        }
        any
    }

    fn start_job(&mut self, id: JobId, view: &View<'_>) {
        let job = &mut self.jobs[usize::from(id.0)];
        job.began = Some(view.now);
        let held = std::mem::take(&mut job.held);
        self.consider(Trigger::Started(id), view);
        if !held.is_empty() {
            self.backlog -= held.len();
            self.hand_over(id, &held, None, view);
        }
    }

    /// Ends `job` if all of it is done, and begins what waited for it.
    pub(super) fn end_jobs(&mut self, id: JobId, view: &View<'_>) {
        let job = &mut self.jobs[usize::from(id.0)];
        if job.ended.is_some() || job.tasks != Some(job.done) {
            return;
        }
        job.ended = Some(view.now);
        let context = job.spec.context;
        self.consider(Trigger::Ended(id), view);
        self.start_jobs(view);
        let number = usize::from(context.0);
        if context != ContextId::ROOT && self.is_done(context) {
            self.contexts[number].is_ended = true;
            self.release(context, view);
        }
    }

    /// Whether every job of `context` has ended.
    fn is_done(&self, context: ContextId) -> bool {
        let mut jobs = self.jobs.iter().filter(|job| job.spec.context == context);
        jobs.all(|job| job.ended.is_some())
    }
}

impl Job {
    pub(super) fn new(spec: JobSpec, began: Option<u64>) -> Self {
        Self { spec, began, ended: None, held: Vec::new(), tasks: None, done: 0, flops: 0.0 }
    }

    fn report(&self) -> JobReport {
        let Self { spec, began, ended, flops, .. } = self;
        JobReport {
            name: spec.name.clone(),
            context: spec.context,
            began: *began,
            ended: *ended,
            flops: *flops,
        }
    }
}
