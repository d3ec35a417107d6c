//! A program on one machine.

mod changes;
mod order;
mod remarks;
mod report;

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use anyhow::Result;
use tegula_bounds::area;
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::{Platform, Power};
use tegula_runtime::flow::{Cost, Flow, FlowOptions};
use tegula_runtime::platform::{Machine, Memory, MemoryKind, Models};
use tegula_runtime::sched::{EvictionPolicy, Policy};
use tegula_runtime::sim::{Census, Contents, Sim, SimOptions};
use tegula_runtime::trace::{Site, Totals, Trace};

use super::costs::Asked;
use super::program::{Setting, Sizes, Spread, Workload};
use super::{Simulate, Task};
use crate::error::{no_room, refused};
use crate::output::{Console, Progress, bytes, bytes_up, number};
pub(super) use changes::Changes;

/// What is simulated, every default settled.
struct Case<'a> {
    workload: &'static Workload,
    setting: Setting,
    platform: String,
    /// Of which precision the platform's times are, if all are of one.
    times_of: Option<Precision>,
    machine: Arc<Machine>,
    models: Arc<Models>,
    power: Option<Power>,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    asked: Asked,
    flags: &'a Simulate,
}

/// What a simulation came to.
struct Done {
    totals: Totals,
    site: Site,
    contents: Contents,
    /// Area bound in seconds, if each task can run somewhere.
    area: Option<f64>,
    /// Operations.
    flops: f64,
    /// Time that simulating took.
    seconds: f64,
    trace: Trace,
}

/// Simulates `task` on `platform`, and tells what it came to.
pub(super) fn run(
    flags: &Simulate,
    task: Task,
    platform: Platform,
    console: Console,
) -> Result<()> {
    let Task { workload, setting, policy, eviction, asked } = task;
    workload.check(&setting.sizes)?;
    check_memory(&platform, (workload, &setting.sizes))?;
    let case = Case {
        workload,
        setting,
        platform: platform.name,
        times_of: platform.precision,
        machine: Arc::new(platform.machine),
        models: Arc::new(platform.models),
        power: platform.power,
        policy,
        eviction,
        asked,
        flags,
    };
    let mut done = case.simulate(&console)?;
    case.describe(&console, &done);
    let result = case.result(&done);
    flags.trace.write(&mut done.trace, &result, &console)?;
    flags.output.write(&result)?;
    console.finish()
}

/// Refuses what `platform` has no memory for, unless it has a disk, or tiles are read in each pass.
fn check_memory(platform: &Platform, (workload, sizes): (&Workload, &Sizes)) -> Result<()> {
    let is_disk = |memory: &Memory| memory.kind == MemoryKind::Disk;
    let has_disk = platform.machine.memories.iter().any(is_disk);
    let (needed, name) = (workload.working_set(sizes), &platform.name);
    match platform.ram_bytes.filter(|&installed| installed < needed) {
        Some(installed) if !has_disk && !matches!(workload.spread, Spread::Lines(_)) => {
            Err(no_room(format!(
                "{name} has {} of memory, and {} works on {}: give a set of nodes, such as \
                 4{name}, or fewer tiles",
                bytes(installed as f64),
                workload.name,
                bytes_up(needed)
            )))
        }
        _ => Ok(()),
    }
}

impl Case<'_> {
    fn simulate(&self, console: &Console) -> Result<Done> {
        let mut progress = Progress::new(console);
        let contents = self.census(&mut progress)?;
        self.check_runnable(&contents)?;
        let order = match &self.flags.order {
            Some(path) => order::read(path, self.machine.workers.len(), contents.tasks)?,
            None => &[],
        };
        let options = SimOptions {
            machine: self.machine.clone(),
            durations: self.models.clone(),
            policy: self.policy,
            eviction: self.eviction,
            seed: self.flags.seed,
            noise: self.flags.noise,
            order,
            contexts: self.workload.makes_contexts,
            trace: self.flags.trace.is_wanted(),
            costs: self.asked.costs.clone(),
        };
        let start = Instant::now();
        let mut flow = Flow::new(Sim::new(options), whole());
        progress.follow(flow.watch(), contents.tasks as f64, "simulating");
        let submitted = self.workload.submit(&mut flow, &self.setting);
        submitted.and_then(|()| flow.wait()).map_err(|error| refused(error.to_string()))?;
        let seconds = start.elapsed().as_secs_f64();
        let totals = flow.totals().expect("a simulation counts");
        let flops = self.workload.flops(&self.setting.sizes).unwrap_or(contents.flops);
        let (site, trace) = (flow.site(), flow.take_trace());
        let area = area_bound(&contents, &self.machine);
        Ok(Done { totals, site, contents, area, flops, seconds, trace })
    }

    /// What the program consists of.
    ///
    /// # Errors
    /// If it takes other decisions than those given.
    fn census(&self, progress: &mut Progress) -> Result<Contents> {
        let (census, contents) = Census::new(self.models.clone(), &self.machine);
        let mut flow = Flow::new(census, whole());
        let most = self.workload.tasks(&self.setting.sizes);
        progress.follow(flow.watch(), most as f64, "counting");
        let submitted = self.workload.submit(&mut flow, &self.setting);
        submitted.and_then(|()| flow.wait()).expect("a census has no failures");
        self.setting.check_followed(&mut flow)?;
        drop(flow);
        Ok(contents.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Refuses tasks of which nobody knows how long they take on any worker.
    fn check_runnable(&self, contents: &Contents) -> Result<()> {
        let is_timed = |&(codelet, cost): &(&'static str, Cost)| {
            let mut workers = self.machine.workers.iter();
            workers.any(|worker| self.models.basis(codelet, cost, worker.class).is_some())
        };
        let unknown = contents.codelets.iter().find(|kind| !is_timed(kind));
        let Some((codelet, cost)) = unknown else { return Ok(()) };
        Err(refused(format!(
            "--platform {}: it does not say how long {codelet} of {} operations takes on any of \
             its workers",
            self.flags.platform.display(),
            number(cost.flops, 4)
        )))
    }

    /// Joules that the run takes, if it is known what the machine draws.
    fn joules(&self, done: &Done) -> Option<f64> {
        let seconds = 1e-9 * done.totals.makespan as f64;
        self.power.as_ref().map(|power| power.joules(&self.machine, &done.totals, seconds))
    }
}

impl Done {
    fn gflops(&self) -> f64 {
        self.flops / self.totals.makespan.max(1) as f64
    }

    /// Share of the time of all workers in which they computed.
    fn busy(&self) -> f64 {
        let all = self.totals.makespan.max(1) as f64 * self.totals.busy.len() as f64;
        self.totals.busy.iter().sum::<u64>() as f64 / all
    }
}

/// Every task is submitted before the first one starts.
pub(crate) fn whole() -> FlowOptions {
    FlowOptions { window: u64::MAX, ..FlowOptions::default() }
}

/// The area bound in seconds, also of tasks of which few run at a time.
pub(super) fn area_bound(contents: &Contents, machine: &Machine) -> Option<f64> {
    let workers = |class| machine.workers.iter().filter(|worker| worker.class.0 == class).count();
    let workers: Vec<usize> = (0..machine.classes.len()).map(workers).collect();
    let capped = machine.caps.iter().map(|cap| {
        let kinds = contents.types.iter().zip(&contents.codelets);
        let own = kinds.filter(|(_, (codelet, _))| cap.codelets.iter().any(|name| name == codelet));
        let seconds = own.map(|(kind, _)| {
            let fastest = kind.seconds.iter().flatten().copied().reduce(f64::min);
            kind.tasks as f64 * fastest.unwrap_or(0.0)
        });
        seconds.sum::<f64>() / cap.most as f64
    });
    let capped = capped.fold(0.0, f64::max);
    area(&contents.types, &workers).map(|area| area.seconds.max(capped))
}
