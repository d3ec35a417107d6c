//! Scheduling contexts (Hugo 2014, chapter 2): several policies side by side, each with workers and
//! tasks of its own.
//!
//! To the dispatcher all of them are one policy. Each sees, in a [`View`] with a machine of its
//! workers alone, its own tasks and no others, so that any policy runs in a context unchanged: its
//! tasks run on its workers, its data is brought ahead to their memories, its priorities compare
//! within it.
//!
//! A worker may be in several contexts and asks them in turn, those of higher priority first. The
//! context of all workers comes last. A worker that changes its context first runs what is
//! committed to it; what is only planned for it goes back to the others at once, since the policy
//! is made anew from what it had not committed.

mod context;
mod jobs;
mod outlook;
mod scheduler;
mod spec;
mod statistics;
mod team;
mod workers;

use std::sync::Arc;

use crate::platform::Machine;
use crate::types::{ContextId, HandleId, JobId, TaskId, WorkerId};

use super::hypervisor::{Hypervisor, Notice, Trigger};
use super::{Policy, View};
use context::Context;
use jobs::Job;
pub use jobs::JobReport;
pub use spec::{ContextError, ContextSpec, JobSpec, Limits, Move, Start, TypeCount, Work};
pub use statistics::{Statistics, Work as WorkDone};
use workers::Worker;

/// Most contexts and most jobs of an engine.
const MOST: usize = 1 << 16;

/// Workers that changed their contexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Resize {
    /// When, in nanoseconds since the engine was made.
    pub time: u64,
    /// What made it necessary.
    pub trigger: Trigger,
    /// Who chose the workers: a policy of the hypervisor, or the program.
    pub policy: &'static str,
    /// For each worker that moved, the contexts that it left and joined; that of all workers
    /// stands for none.
    pub moved: Vec<(WorkerId, ContextId, ContextId)>,
    /// How long the choice took, in nanoseconds of real time.
    pub decision: u64,
}

/// Where a task is, by its slot.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    context: u16,
    is_waiting: bool,
    /// Of the policy that committed it.
    epoch: u32,
    /// When it began to run.
    start: u64,
}

/// Tells of tasks whether they wait in `context`, by their `marks`.
fn waits_in(marks: &[Mark], context: ContextId) -> impl Fn(TaskId) -> bool {
    move |task| {
        let mark = &marks[task.0 as usize];
        mark.is_waiting && mark.context == context.0
    }
}

/// All contexts of an engine.
pub struct Contexts {
    machine: Arc<Machine>,
    /// By class of workers, the number of its [group](Machine::groups).
    groups: Vec<usize>,
    contexts: Vec<Context>,
    jobs: Vec<Job>,
    workers: Vec<Worker>,
    marks: Vec<Mark>,
    backlog: usize,
    looks_at_data: bool,
    hypervisor: Option<Hypervisor>,
    resizes: Vec<Resize>,
    /// Workers that joined (or left) contexts since the last note of it.
    changes: Vec<(WorkerId, ContextId, bool)>,
    /// What the other contexts plan for each worker.
    planned: Vec<u64>,
    /// By handle, the context whose tasks used it last.
    owners: Vec<u16>,
}

impl std::fmt::Debug for Contexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.contexts.iter().map(|context| &context.spec.name);
        f.debug_list().entries(names).finish()
    }
}

impl Contexts {
    /// The context of all workers of `machine`, under `policy`, and nobody who moves workers unless
    /// told to.
    #[must_use]
    pub fn new(machine: Arc<Machine>, policy: &'static Policy, seed: u64) -> Self {
        let looks_at_data = policy.plans();
        let all: Vec<WorkerId> = (0..machine.workers.len()).map(WorkerId).collect();
        let spec = ContextSpec {
            priority: i32::MIN,
            seed,
            ..ContextSpec::new("all", policy, all.clone())
        };
        let job = JobSpec {
            name: "all".to_owned(),
            context: ContextId::ROOT,
            start: Start::Now,
            work: Work::default(),
        };
        let mut contexts = Self {
            contexts: vec![Context::new(spec, &machine)],
            jobs: vec![Job::new(job, Some(0))],
            workers: all.iter().map(|_| Worker::new()).collect(),
            groups: machine.groups().1,
            marks: Vec::new(),
            backlog: 0,
            looks_at_data,
            hypervisor: None,
            resizes: Vec::new(),
            changes: Vec::new(),
            planned: vec![0; all.len()],
            owners: Vec::new(),
            machine,
        };
        contexts.contexts[0].settle(all, &contexts.machine);
        contexts
    }

    /// Has `hypervisor` move workers from now on.
    pub fn set_hypervisor(&mut self, hypervisor: Hypervisor) {
        self.hypervisor = Some(hypervisor);
    }

    /// Makes a context.
    ///
    /// # Errors
    /// If there is no such worker or parent, or a context that loses workers could not go on.
    pub fn create(
        &mut self,
        spec: ContextSpec,
        view: &View<'_>,
    ) -> Result<ContextId, ContextError> {
        self.check_workers(&spec.workers)?;
        let spec = self.as_team(spec)?;
        self.live(spec.parent)?;
        if self.contexts.len() == MOST {
            return Err(ContextError::TooMany { most: MOST });
        }
        let is_tracked = self.looks_at_data || !self.machine.is_flat() || !self.machine.is_free();
        if spec.policy.plans() && !is_tracked {
            return Err(ContextError::Plans { policy: spec.policy.name });
        }
        if !spec.is_shared {
            let leaving = Move { from: None, to: None, workers: spec.workers.clone() };
            self.check(&leaving)?;
        }
        let (id, workers) = (ContextId(self.contexts.len() as u16), spec.workers.clone());
        let is_shared = spec.is_shared;
        self.contexts.push(Context::new(spec, &self.machine));
        self.contexts[usize::from(id.0)].statistics.window_start = view.now;
        if is_shared {
            self.seat(id, workers, view);
        } else {
            self.carry_out(&Move { from: None, to: Some(id), workers }, view);
        }
        self.note(Trigger::Created(id), "program", 0, view);
        self.consider(Trigger::Created(id), view);
        Ok(id)
    }

    /// Ends a context, whose workers go to others that have work.
    ///
    /// # Errors
    /// If there is no such context, or it has tasks.
    pub fn end(&mut self, context: ContextId, view: &View<'_>) -> Result<(), ContextError> {
        if context == ContextId::ROOT {
            return Err(ContextError::Root);
        }
        self.live(context)?;
        let ending = &mut self.contexts[usize::from(context.0)];
        ending.is_ended = true;
        self.release(context, view);
        Ok(())
    }

    /// Moves workers.
    ///
    /// # Errors
    /// If a worker is not where it is to leave, or a context could not go on without it.
    pub fn move_workers(&mut self, change: &Move, view: &View<'_>) -> Result<(), ContextError> {
        self.check(change)?;
        self.carry_out(change, view);
        self.note(Trigger::Request, "program", 0, view);
        self.consider(Trigger::Request, view);
        Ok(())
    }

    /// Moves so many workers of each [group](Machine::groups), those without a task first.
    ///
    /// # Errors
    /// As [`move_workers`](Self::move_workers).
    pub fn move_counts(
        &mut self,
        from: ContextId,
        to: ContextId,
        counts: &[usize],
        view: &View<'_>,
    ) -> Result<(), ContextError> {
        self.live(from)?;
        let workers = self.choose_workers(from, counts);
        self.move_workers(&Move { from: Some(from), to: Some(to), workers }, view)
    }

    /// Whether the context of `job` has workers of which none runs tasks that take so long on each
    /// class; then its name.
    pub(crate) fn refuses(&self, job: JobId, nanoseconds: &[u64]) -> Option<&str> {
        let context = &self.contexts[usize::from(self.jobs[usize::from(job.0)].spec.context.0)];
        let is_stuck = !context.workers.is_empty() && !context.serves(nanoseconds);
        is_stuck.then_some(context.spec.name.as_str())
    }

    /// Takes out the tasks that wait for workers that their context does not have.
    pub(crate) fn take_stuck(&mut self, out: &mut Vec<TaskId>) -> String {
        let mut name = String::new();
        for context in self.contexts.iter_mut().filter(|context| !context.held.is_empty()) {
            name.clone_from(&context.spec.name);
            self.backlog -= context.held.len();
            for &task in &context.held {
                self.marks[task.0 as usize].is_waiting = false;
            }
            out.append(&mut context.held);
        }
        name
    }

    /// When something is to be done although nothing happens.
    pub(crate) fn wakes_at(&self) -> Option<u64> {
        let watch = self.hypervisor.as_ref().and_then(|hypervisor| hypervisor.wakes_at(self));
        self.starts_at().into_iter().chain(watch).min()
    }

    /// When the next job begins, if one only waits for its time.
    pub(crate) fn starts_at(&self) -> Option<u64> {
        let waiting = self.jobs.iter().filter(|job| job.began.is_none() && self.is_free(job));
        waiting.map(|job| job.spec.start.time()).min()
    }

    /// Whoever moves workers.
    #[must_use]
    pub fn hypervisor(&self) -> Option<&Hypervisor> {
        self.hypervisor.as_ref()
    }

    /// Whoever moves workers, to be told what to do.
    pub fn hypervisor_mut(&mut self) -> Option<&mut Hypervisor> {
        self.hypervisor.as_mut()
    }

    /// Every context that was made, by number: its name, its workers, and what was counted.
    pub fn contexts(&self) -> impl Iterator<Item = (&str, &[WorkerId], &Statistics)> {
        self.contexts
            .iter()
            .map(|context| (context.spec.name.as_str(), &*context.workers, &context.statistics))
    }

    /// The policy of a context.
    ///
    /// # Panics
    /// If there is no such context.
    #[must_use]
    pub fn policy_of(&self, context: ContextId) -> &'static Policy {
        self.contexts[usize::from(context.0)].spec.policy
    }

    /// Changes of workers so far.
    #[must_use]
    pub fn resizes(&self) -> &[Resize] {
        &self.resizes
    }

    fn live(&self, context: ContextId) -> Result<(), ContextError> {
        let known = self.contexts.get(usize::from(context.0));
        match known.filter(|context| !context.is_ended) {
            Some(_) => Ok(()),
            None => Err(ContextError::Unknown(context)),
        }
    }

    /// Counts `bytes` of `handle` that were moved.
    pub(crate) fn count_bytes(&mut self, handle: HandleId, bytes: u64) {
        let owner = self.owners.get(handle.0 as usize).copied().unwrap_or(0);
        self.contexts[usize::from(owner)].statistics.bytes += bytes;
    }

    /// Notes that `context` uses `handle`.
    fn own(&mut self, handle: HandleId, context: ContextId) {
        let place = handle.0 as usize;
        if place >= self.owners.len() {
            self.owners.resize((place + 1).next_power_of_two(), 0);
        }
        self.owners[place] = context.0;
    }

    fn mark(&mut self, task: TaskId) -> &mut Mark {
        let slot = task.0 as usize;
        if slot >= self.marks.len() {
            self.marks.resize((slot + 1).next_power_of_two(), Mark::default());
        }
        &mut self.marks[slot]
    }

    /// Hands `tasks` of one job over.
    fn hand_over(&mut self, job: JobId, tasks: &[TaskId], by: Option<WorkerId>, view: &View<'_>) {
        let id = self.jobs[usize::from(job.0)].spec.context;
        let number = usize::from(id.0);
        for &task in tasks {
            let epoch = self.contexts[number].epoch;
            *self.mark(task) = Mark { context: id.0, is_waiting: true, epoch, start: 0 };
        }
        self.backlog += tasks.len();
        if self.jobs[usize::from(job.0)].began.is_none() {
            self.jobs[usize::from(job.0)].held.extend_from_slice(tasks);
            return;
        }
        tasks.iter().for_each(|&task| self.contexts[number].enter(task, view));
        self.notice(Notice::Ready { context: id, tasks: tasks.len() });
        self.plan_of_others(number);
        self.contexts[number].hand_over(tasks, by, view, &self.planned);
        if !self.contexts[number].held.is_empty() {
            self.consider(Trigger::Started(job), view);
        }
    }

    /// Finds what contexts beside `number` plan for its workers.
    fn plan_of_others(&mut self, number: usize) {
        self.planned.fill(0);
        for (other, context) in self.contexts.iter().enumerate() {
            if other != number && context.backlog > 0 {
                context.add_planned(&mut self.planned);
            }
        }
    }

    /// Tells whoever moves workers of something.
    fn notice(&mut self, what: Notice) {
        if let Some(hypervisor) = &mut self.hypervisor {
            hypervisor.notice(what);
        }
    }

    /// Asks whoever moves workers whether they are to be moved now.
    fn consider(&mut self, trigger: Trigger, view: &View<'_>) -> bool {
        let Some(mut hypervisor) = self.hypervisor.take() else { return false };
        let moved = hypervisor.consider(self, trigger, view);
        self.hypervisor = Some(hypervisor);
        moved
    }

    /// Notes which workers have moved since the last call, and why; says whether any did.
    pub(in crate::sched) fn note(
        &mut self,
        trigger: Trigger,
        policy: &'static str,
        decision: u64,
        view: &View<'_>,
    ) -> bool {
        let mut moved: Vec<(WorkerId, ContextId, ContextId)> = Vec::new();
        for (worker, context, joins) in std::mem::take(&mut self.changes) {
            let open = |&&mut (other, left, joined): &&mut (WorkerId, ContextId, ContextId)| {
                let free = if joins { joined } else { left };
                other == worker && free == ContextId::ROOT
            };
            let place = match moved.iter_mut().find(open) {
                Some(place) => place,
                None => {
                    moved.push((worker, ContextId::ROOT, ContextId::ROOT));
                    moved.last_mut().expect("it was just pushed")
                }
            };
            *(if joins { &mut place.2 } else { &mut place.1 }) = context;
        }
        moved.retain(|(_, left, joined)| left != joined);
        let any = !moved.is_empty();
        if any {
            let time = view.now;
            self.resizes.push(Resize { time, trigger, policy, moved, decision });
        }
        any
    }
}
