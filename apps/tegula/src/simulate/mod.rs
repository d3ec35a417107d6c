//! `tegula simulate`: runs a program in virtual time on a machine that is only described.

mod sets;
mod workload;

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::{Value, json};
use tegula_data::platform::Platform;
use tegula_kernels::scalar::Precision;
use tegula_runtime::bounds::area;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Durations, Machine, MemoryId, Worker};
use tegula_runtime::sched::{EVICTIONS, POLICIES, eviction};
use tegula_runtime::sim::{Census, Contents, Sim, SimOptions};
use tegula_runtime::trace::{Site, Totals, Trace};

use crate::error::refused;
use crate::flags::{
    OutputFlags, TraceFlags, evictions, member, parse_bytes, parse_rate, policies, precision_parser,
};
use crate::output::{Console, bytes, number, seconds, transfers};
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
    /// Leave only so many accelerators
    #[arg(long, value_name = "N")]
    devices: Option<usize>,
    /// So many cores, equal to those there are
    #[arg(long, value_name = "N")]
    cores: Option<usize>,
    /// Limit the memory of each accelerator
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    device_memory: Option<u64>,
    /// Limit every link, also those that routes share, in bytes per second
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    link_rate: Option<f64>,
    /// Tasks whose data an accelerator's memory holds at once, the running one included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pipeline: Option<u16>,
    /// Coefficient of variation of task times
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    noise: f64,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

fn workloads() -> impl TypedValueParser<Value = usize> {
    member(WORKLOADS.iter().map(|workload| (workload.name, workload.summary)).collect())
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
        let workload = &WORKLOADS[self.workload];
        let Platform { name, machine, models, .. } =
            Platform::find(&self.platform).map_err(|error| refused(error.to_string()))?;
        let machine = self.reduce(machine)?;
        let sizes = self.sizes();
        let mut done = self.simulate(workload, &sizes, machine, Arc::new(models))?;
        self.describe(&console, workload, &sizes, &name, &done);
        let result = self.result(workload, &sizes, &name, &done);
        self.trace.write(&mut done.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            tiles: self.tiles as usize,
            nb: self.tile_size as usize,
            scalar: self.precision.bytes(),
            seed: self.seed,
        }
    }

    /// The machine with less, as asked for.
    fn reduce(&self, mut machine: Machine) -> Result<Machine> {
        if let Some(devices) = self.devices {
            machine.keep_devices(devices);
        }
        if let Some(cores) = self.cores {
            machine.keep_cores(cores);
            grow_cores(&mut machine, cores);
        }
        if let Some(bytes) = self.device_memory {
            machine.limit_devices(bytes);
        }
        if let Some(rate) = self.link_rate {
            machine.limit_links(rate);
        }
        if let Some(pipeline) = self.pipeline {
            let devices = machine.workers.iter_mut().filter(|w| w.memory != MemoryId::RAM);
            devices.for_each(|worker| worker.pipeline = pipeline.into());
        }
        if machine.workers.is_empty() {
            return Err(refused("--cores and --devices leave no worker".to_owned()));
        }
        if !(self.noise >= 0.0 && self.noise < 10.0) {
            return Err(refused(format!("--noise {}: give a number from 0 to 10", self.noise)));
        }
        Ok(machine)
    }

    fn simulate(
        &self,
        workload: &Workload,
        sizes: &Sizes,
        machine: Machine,
        durations: Arc<dyn Durations>,
    ) -> Result<Done> {
        let contents = census(workload, sizes, &machine, &durations);
        let area = area_bound(&contents, &machine);
        self.check_runnable(&contents, &machine)?;
        let policy = &POLICIES[self.policy];
        let options = SimOptions {
            machine: Arc::new(machine),
            durations,
            policy,
            eviction: match self.eviction {
                Some(index) => &EVICTIONS[index],
                None => eviction(policy.eviction).expect("a policy names a listed eviction policy"),
            },
            seed: self.seed,
            noise: self.noise,
            trace: self.trace.is_wanted(),
        };
        let start = Instant::now();
        let mut flow = Flow::new(Sim::new(options), whole());
        (workload.submit)(&mut flow, sizes);
        flow.wait().map_err(|error| refused(error.to_string()))?;
        let seconds = start.elapsed().as_secs_f64();
        let totals = flow.totals().expect("a simulation counts");
        let flops = workload.flops.map_or(contents.flops, |flops| flops(sizes));
        let (site, trace) = (flow.site(), flow.take_trace());
        Ok(Done { totals, site, contents, area, flops, seconds, trace })
    }

    /// Refuses tasks that no worker can run.
    fn check_runnable(&self, contents: &Contents, machine: &Machine) -> Result<()> {
        let has_worker = |class: usize| machine.workers.iter().any(|w| w.class.0 == class);
        let is_runnable = |seconds: &[Option<f64>]| {
            seconds.iter().enumerate().any(|(class, time)| time.is_some() && has_worker(class))
        };
        let unknown = contents.types.iter().position(|kind| !is_runnable(&kind.seconds));
        let Some(kind) = unknown else { return Ok(()) };
        let (codelet, cost) = (contents.codelets[kind].0, contents.codelets[kind].1);
        Err(refused(format!(
            "--platform {}: it does not say how long {codelet} of {} operations takes on any of \
             its workers",
            self.platform,
            number(cost.flops, 4)
        )))
    }

    fn describe(
        &self,
        console: &Console,
        workload: &Workload,
        sizes: &Sizes,
        platform: &str,
        done: &Done,
    ) {
        let makespan = 1e-9 * done.totals.makespan as f64;
        console.field("program", format_args!("{}: {}", workload.name, workload.summary));
        let working_set = bytes((workload.working_set)(sizes));
        console.field(
            "sizes",
            format_args!(
                "{0} x {0} tiles of {1}, {2} tasks, working set {working_set}",
                sizes.tiles, sizes.nb, done.contents.tasks
            ),
        );
        console.field("platform", format_args!("{platform}, {} workers", done.site.workers.len()));
        console.field("policy", POLICIES[self.policy].name);
        console.field("makespan", seconds(makespan));
        console.field("rate", format_args!("{} Gflop/s", number(done.gflops(), 5)));
        if let Some(area) = done.area {
            let path = done.contents.critical_path_seconds;
            console.field(
                "bounds",
                format_args!("area {}, critical path {}", seconds(area), seconds(path)),
            );
        }
        console.field("busy", format_args!("{} % of all workers", number(100.0 * done.busy(), 3)));
        console.line("");
        transfers::describe(console, &done.totals, &done.site);
        if console.is_verbose() {
            let rate = done.contents.tasks as f64 / done.seconds;
            console.line(format_args!("simulated {} tasks a second", number(rate, 3)));
        }
    }

    fn result(&self, workload: &Workload, sizes: &Sizes, platform: &str, done: &Done) -> Value {
        let mut result = json!({
            "program": workload.name,
            "platform": platform,
            "tiles": sizes.tiles,
            "tile_size": sizes.nb,
            "precision": self.precision.letter(),
            "policy": POLICIES[self.policy].name,
            "seed": self.seed,
            "simulated_tasks": done.contents.tasks,
            "working_set_bytes": (workload.working_set)(sizes),
            "makespan_seconds": 1e-9 * done.totals.makespan as f64,
            "gflops": done.gflops(),
            "utilization": done.busy(),
            "abe_seconds": done.area,
            "cpb_seconds": done.contents.critical_path_seconds,
            "simulated_tasks_per_second": done.contents.tasks as f64 / done.seconds,
        });
        let map = result.as_object_mut().expect("it was just made one");
        transfers::describe_json(map, &done.totals, &done.site);
        result
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

/// Adds cores like the first one until there are `count`.
fn grow_cores(machine: &mut Machine, count: usize) {
    let is_core = |worker: &&Worker| worker.memory == MemoryId::RAM;
    let Some(first) = machine.workers.iter().find(is_core).cloned() else { return };
    let there = machine.workers.iter().filter(is_core).count();
    for number in there..count {
        machine.workers.push(Worker { name: format!("CPU {number}"), ..first.clone() });
    }
}

/// Every task is submitted before the first one starts.
fn whole() -> FlowOptions {
    FlowOptions { window: u64::MAX, ..FlowOptions::default() }
}

/// What the program consists of.
fn census(
    workload: &Workload,
    sizes: &Sizes,
    machine: &Machine,
    durations: &Arc<dyn Durations>,
) -> Contents {
    let (census, contents) = Census::new(durations.clone(), machine.classes.len());
    let mut flow = Flow::new(census, whole());
    (workload.submit)(&mut flow, sizes);
    flow.wait().expect("a census has no failures");
    drop(flow);
    contents.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The area bound in seconds.
fn area_bound(contents: &Contents, machine: &Machine) -> Option<f64> {
    let workers = |class| machine.workers.iter().filter(|worker| worker.class.0 == class).count();
    let workers: Vec<usize> = (0..machine.classes.len()).map(workers).collect();
    area(&contents.types, &workers).map(|area| area.seconds)
}
