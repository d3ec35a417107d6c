//! `tegula simulate`: runs a program in virtual time on a machine that is only described.

mod changes;
mod remarks;
mod report;
mod sets;
mod workload;

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use tegula_data::platform::Platform;
use tegula_kernels::scalar::Precision;
use tegula_runtime::bounds::area;
use tegula_runtime::flow::{Cost, Flow, FlowOptions};
use tegula_runtime::platform::{Machine, Models};
use tegula_runtime::sched::{EvictionPolicy, POLICIES, Policy};
use tegula_runtime::sim::{Census, Contents, Sim, SimOptions};
use tegula_runtime::trace::{Site, Totals, Trace};

use crate::error::refused;
use crate::flags::{
    OutputFlags, TraceFlags, check_eviction, chosen_eviction, evictions, member, policies,
    precision_parser,
};
use crate::output::{Console, Progress, check_apart, number};
use changes::Changes;
use workload::{Sizes, WORKLOADS, Workload};

/// Flags of `simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula simulate cholesky --platform mirage --tiles 40 --tile-size 960 --precision s --policy dmdas
  tegula simulate gemm-2d --platform mirage --tiles 40 --tile-size 960 --precision s --cores 0 \\
      --devices 1 --device-memory 500MiB --link-rate 600MB --policy darts --trace run.html")]
pub(crate) struct Simulate {
    /// Program
    #[arg(value_name = "PROGRAM", value_parser = workloads())]
    workload: usize,
    /// Machine: a name that 'tegula platform show' lists, or a file
    #[arg(long, value_name = "NAME|FILE")]
    platform: String,
    /// Tiles along an edge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    tiles: u32,
    /// Order of the tiles
    #[arg(long, value_name = "N", default_value_t = 960, value_parser = clap::value_parser!(u32).range(1..=65536))]
    tile_size: u32,
    /// Numbers of 32 bits (s, single) or 64 (d, double)
    #[arg(long, value_name = "P", default_value = "d", value_parser = precision_parser())]
    precision: Precision,
    /// Who runs which task
    #[arg(long, value_name = "NAME", default_value = "dmdas", value_parser = policies())]
    policy: usize,
    /// What leaves a memory that is full [default: what suits the policy]
    #[arg(long, value_name = "NAME", value_parser = evictions())]
    eviction: Option<usize>,
    /// Coefficient of variation of task times
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    noise: f64,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

fn workloads() -> impl TypedValueParser<Value = usize> {
    member(WORKLOADS.iter().map(|workload| (workload.name, workload.summary)).collect())
}

/// What is simulated, every default settled.
struct Case<'a> {
    workload: &'static Workload,
    sizes: Sizes,
    platform: String,
    /// Of which precision the platform's times are, if all are of one.
    times_of: Option<Precision>,
    machine: Arc<Machine>,
    models: Arc<Models>,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
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

impl Simulate {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        check_apart(&[self.output.path(), self.trace.path()], &[])?;
        let case = self.case()?;
        let mut done = case.simulate(&console)?;
        case.describe(&console, &done);
        let result = case.result(&done);
        self.trace.write(&mut done.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    fn case(&self) -> Result<Case<'_>> {
        if !(self.noise >= 0.0 && self.noise < 10.0) {
            let noise = number(self.noise, 3);
            return Err(refused(format!("--noise {noise}: give a number from 0 to 10")));
        }
        let (workload, policy) = (&WORKLOADS[self.workload], &POLICIES[self.policy]);
        let sizes = Sizes {
            tiles: self.tiles as usize,
            nb: self.tile_size as usize,
            scalar: self.precision.bytes(),
            seed: self.seed,
        };
        workload.check(&sizes)?;
        let eviction = chosen_eviction(self.eviction, policy);
        check_eviction(eviction, policy)?;
        let platform = self.changes.apply(Platform::find(&self.platform)?)?;
        Ok(Case {
            workload,
            sizes,
            platform: platform.name,
            times_of: platform.precision,
            machine: Arc::new(platform.machine),
            models: Arc::new(platform.models),
            policy,
            eviction,
            flags: self,
        })
    }
}

impl Case<'_> {
    fn simulate(&self, console: &Console) -> Result<Done> {
        let mut progress = Progress::new(console);
        let contents = self.census(&mut progress);
        self.check_runnable(&contents)?;
        let options = SimOptions {
            machine: self.machine.clone(),
            durations: self.models.clone(),
            policy: self.policy,
            eviction: self.eviction,
            seed: self.flags.seed,
            noise: self.flags.noise,
            trace: self.flags.trace.is_wanted(),
        };
        let start = Instant::now();
        let mut flow = Flow::new(Sim::new(options), whole());
        progress.follow(flow.watch(), contents.tasks as f64, "simulating");
        (self.workload.submit)(&mut flow, &self.sizes);
        flow.wait().map_err(|error| refused(error.to_string()))?;
        let seconds = start.elapsed().as_secs_f64();
        let totals = flow.totals().expect("a simulation counts");
        let flops = self.workload.flops.map_or(contents.flops, |flops| flops(&self.sizes));
        let (site, trace) = (flow.site(), flow.take_trace());
        let area = area_bound(&contents, &self.machine);
        Ok(Done { totals, site, contents, area, flops, seconds, trace })
    }

    /// What the program consists of.
    fn census(&self, progress: &mut Progress) -> Contents {
        let (census, contents) = Census::new(self.models.clone(), &self.machine);
        let mut flow = Flow::new(census, whole());
        let most = (self.workload.most)(self.sizes.tiles as u64);
        progress.follow(flow.watch(), most as f64, "counting");
        (self.workload.submit)(&mut flow, &self.sizes);
        flow.wait().expect("a census has no failures");
        drop(flow);
        contents.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
            self.flags.platform,
            number(cost.flops, 4)
        )))
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
fn whole() -> FlowOptions {
    FlowOptions { window: u64::MAX, ..FlowOptions::default() }
}

/// The area bound in seconds.
fn area_bound(contents: &Contents, machine: &Machine) -> Option<f64> {
    let workers = |class| machine.workers.iter().filter(|worker| worker.class.0 == class).count();
    let workers: Vec<usize> = (0..machine.classes.len()).map(workers).collect();
    area(&contents.types, &workers).map(|area| area.seconds)
}
