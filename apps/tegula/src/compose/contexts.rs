//! From a composition to contexts, jobs and their tasks in a flow.

use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;

use anyhow::Result;
use tegula_runtime::flow::Flow;
use tegula_runtime::platform::{ClassId, Durations, Machine};
use tegula_runtime::sched::contexts::{ContextError, ContextSpec, JobSpec, Start, TypeCount, Work};
use tegula_runtime::sched::hypervisor::{Hypervisor, PlannedMove, RESIZING};
use tegula_runtime::sched::{ContextId, JobId, WorkerId};
use tegula_runtime::sim::Census;

use super::file::{Composition, Context, Kernel, Program};
use super::{Compose, Sharing};
use crate::error::refused;
use crate::simulate::program::{Setting, Workload};
use crate::simulate::whole;

/// What is run, on what.
pub(super) struct Run<'a> {
    pub(super) flags: &'a Compose,
    pub(super) sharing: Sharing,
    pub(super) composition: &'a Composition,
    pub(super) machine: &'a Machine,
    pub(super) durations: Arc<dyn Durations>,
}

/// A run of a kernel.
pub(super) struct Job {
    pub(super) id: JobId,
    pub(super) kernel: usize,
    pub(super) name: String,
    /// Operations.
    pub(super) flops: f64,
}

/// Nanoseconds of real time, for what decisions cost.
fn clock() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

pub(super) fn wrong(error: ContextError) -> anyhow::Error {
    refused(error.to_string())
}

/// What is simulated of a kernel.
fn simulated(kernel: &Kernel) -> Result<(&'static Workload, &Setting)> {
    match &kernel.program {
        Program::Algorithm { workload, setting, .. } => Ok((workload, setting)),
        Program::Command(_) => Err(refused(format!(
            "kernel {} is a command, which is not simulated: give an algorithm",
            kernel.name
        ))),
    }
}

impl Run<'_> {
    /// Makes the contexts and the jobs, and submits all tasks.
    pub(super) fn submit(&self, flow: &mut Flow) -> Result<Vec<Job>> {
        let contexts = self.contexts(|spec| flow.add_context(spec))?;
        if let Some(hypervisor) = self.hypervisor() {
            flow.set_hypervisor(hypervisor).map_err(wrong)?;
        }
        let mut jobs: Vec<Job> = Vec::new();
        for (number, kernel) in self.composition.kernels.iter().enumerate() {
            let work = self.census(kernel)?;
            for run in 0..kernel.starts.len() {
                let name = kernel.run_name(run);
                let spec = JobSpec {
                    name: name.clone(),
                    context: contexts[kernel.context],
                    start: self.start(kernel, number, run, &jobs),
                    work: work.clone(),
                };
                let flops = work.flops.unwrap_or(0.0);
                // Moves are planned before the job may begin.
                let id = JobId(jobs.len() as u16 + 1);
                self.plan_moves(flow, number, id, &contexts)?;
                let made = flow.add_job(spec).map_err(wrong)?;
                debug_assert_eq!(made, id);
                jobs.push(Job { id, kernel: number, name, flops });
            }
        }
        // What has to be there before is taken for granted for all of them, which waits.
        let kernel = |job: &Job| simulated(&self.composition.kernels[job.kernel]);
        let prepare = |job| kernel(job).map(|(workload, setting)| workload.prepare(flow, setting));
        let prepared = jobs.iter().map(prepare).collect::<Result<Vec<_>>>()?;
        for (job, prepared) in jobs.iter().zip(prepared) {
            flow.within(job.id, |flow| prepared.submit(flow))
                .map_err(|error| refused(error.to_string()))?;
            flow.close_job(job.id).map_err(wrong)?;
        }
        Ok(jobs)
    }

    /// Whether every kernel runs in the context of all workers.
    pub(super) fn is_one(&self) -> bool {
        matches!(self.sharing, Sharing::None | Sharing::Serial)
    }

    /// Makes the contexts, with `make`.
    pub(super) fn contexts(
        &self,
        mut make: impl FnMut(ContextSpec) -> Result<ContextId, ContextError>,
    ) -> Result<Vec<ContextId>> {
        if self.is_one() {
            return Ok(vec![ContextId::ROOT; self.composition.contexts.len()]);
        }
        let mut used = vec![0; self.machine.groups().0.len()];
        let mut ids = Vec::new();
        for context in &self.composition.contexts {
            let workers = match self.sharing {
                Sharing::Split => self.workers(context, &mut used)?,
                _ => Vec::new(),
            };
            let policy = context.policy.unwrap_or(self.flags.policy());
            let spec = ContextSpec {
                is_shared: context.is_shared,
                priority: context.priority,
                limits: context.limits.clone(),
                is_moldable: context.is_moldable,
                seed: self.flags.run.seed,
                ..ContextSpec::new(&context.name, policy, workers)
            };
            ids.push(make(spec).map_err(wrong)?);
        }
        Ok(ids)
    }

    /// The workers that a context begins with: of each group the next that no other has, or, of one
    /// that shares, the next in a circle.
    fn workers(&self, context: &Context, used: &mut [usize]) -> Result<Vec<WorkerId>> {
        let (names, groups) = self.machine.groups();
        let Some(counts) = &context.workers else {
            let is_given = self
                .composition
                .moves
                .iter()
                .any(|moved| self.composition.contexts[moved.to].name == context.name);
            if is_given {
                return Ok(Vec::new());
            }
            let name = &context.name;
            return Err(refused(format!(
                "context {name} has no workers: give its kernel workers = {{ ... }}, or choose \
                 --contexts feft or teft"
            )));
        };
        let mut chosen = Vec::new();
        for (group, &count) in counts.iter().enumerate() {
            let of_group: Vec<WorkerId> = (0..self.machine.workers.len())
                .filter(|&worker| groups[self.machine.workers[worker].class.0] == group)
                .map(WorkerId)
                .collect();
            let first = used[group];
            let (last, all) = (first + count, of_group.len());
            if count > all || (last > all && !context.is_shared) {
                let (name, what) = (&context.name, &names[group]);
                return Err(refused(format!(
                    "context {name}: {count} workers {what} after {first} of {all} are more than \
                     there are; ask for fewer, or let contexts share them with shared = true"
                )));
            }
            chosen.extend((first..last).map(|place| of_group[place % all]));
            used[group] = last;
        }
        Ok(chosen)
    }

    /// Whoever moves workers, if anyone is to.
    pub(super) fn hypervisor(&self) -> Option<Hypervisor> {
        let asked = self.flags.hypervisor.map(|number| &RESIZING[number]);
        let policy = asked.or(self.sharing.resizing());
        if self.is_one() || (policy.is_none() && self.composition.moves.is_empty()) {
            return None;
        }
        Some(Hypervisor::new(policy, self.flags.watch(self.sharing), clock))
    }

    fn plan_moves(
        &self,
        flow: &mut Flow,
        kernel: usize,
        job: JobId,
        contexts: &[ContextId],
    ) -> Result<()> {
        if self.is_one() {
            return Ok(());
        }
        for moved in self.composition.moves.iter().filter(|moved| moved.kernel == kernel) {
            let planned = PlannedMove {
                job,
                at_end: moved.at_end,
                from: contexts[moved.from],
                to: contexts[moved.to],
                workers: moved.workers.clone(),
            };
            flow.plan_move(&planned).map_err(wrong)?;
        }
        Ok(())
    }

    /// When a run of a kernel begins: after the run before, and after the kernels that it follows.
    fn start(&self, kernel: &Kernel, number: usize, run: usize, before: &[Job]) -> Start {
        let last =
            |kernel: usize| before.iter().rev().find(|job| job.kernel == kernel).map(|job| job.id);
        let mut after: Vec<JobId> = kernel.after.iter().filter_map(|&other| last(other)).collect();
        if kernel.starts.len() > 1 && run > 0 {
            after.extend(last(number));
        }
        if self.sharing == Sharing::Serial {
            after.extend(before.last().map(|job| job.id));
        }
        let time = kernel.starts[run].map(|seconds| (1e9 * seconds) as u64);
        match (after.is_empty(), time) {
            (true, None) => Start::Now,
            (true, Some(time)) => Start::At(time),
            (false, None) => Start::After(after),
            (false, Some(time)) => Start::AfterAndAt(after, time),
        }
    }

    /// What a kernel consists of.
    fn census(&self, kernel: &Kernel) -> Result<Work> {
        let (census, contents) = Census::new(self.durations.clone(), self.machine);
        let mut flow = Flow::new(census, whole());
        let (workload, setting) = simulated(kernel)?;
        let submitted = workload.submit(&mut flow, setting);
        submitted.and_then(|()| flow.wait()).map_err(|error| refused(error.to_string()))?;
        drop(flow);
        let contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
        let of_type = |(kind, (codelet, cost)): (&_, &(&'static str, _))| {
            let kind: &tegula_runtime::sim::TaskType = kind;
            // As the engine will ask, to the nanosecond.
            let exact = |class: usize| {
                let known = self.durations.nanoseconds(codelet, *cost, ClassId(class));
                kind.seconds[class].and(known)
            };
            TypeCount {
                tasks: kind.tasks,
                flops: cost.flops,
                nanoseconds: (0..kind.seconds.len()).map(exact).collect(),
            }
        };
        let types = contents.types.iter().zip(&contents.codelets).map(of_type).collect();
        Ok(Work { flops: Some(contents.flops), types })
    }
}
