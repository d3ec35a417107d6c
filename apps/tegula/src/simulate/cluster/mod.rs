//! A program on a cluster: every rank runs it, against a node in virtual time.

mod faults;
mod report;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_runtime::flow::{Flow, FlowError, FlowOptions, Watch};
use tegula_runtime::ranks::Traffic;
use tegula_runtime::sched::{EvictionPolicy, Policy};
use tegula_runtime::sim::{Census, Cluster, ClusterOptions, ClusterRun, Contents};

use super::costs::Asked;
use super::node::area_bound;
use super::program::{CRITICAL, CRITICAL_WORKER, Evaluations, FIT, Setting, Spread, Workload};
use super::{Simulate, Task};
use crate::error::{no_room, refused};
use crate::flags::parse_bytes;
use crate::output::{Console, Progress, bytes, bytes_up, number};
use crate::plan::{Maps, plans_and_page, plans_help};
use faults::Faults;

/// Flags of clusters.
#[derive(Args, Debug)]
#[command(next_help_heading = "Cluster")]
pub(super) struct ClusterFlags {
    #[arg(long, value_name = "NAME", help = plans_help(), long_help = plans_and_page())]
    distribution: Vec<String>,
    /// Messages go as they come, not by the priority of the tasks that wait for them
    #[arg(long)]
    no_message_priorities: bool,
    /// Tiles that leave a node at a time, the most urgent first [default: 32, of large tiles about
    /// four]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    sends: Option<u32>,
    /// Tiles that come to a node at a time, the most urgent first [default: as many as there is
    /// memory for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    receives: Option<u32>,
    /// Memory of a node for what it has asked for and what is on its way [default: 1GiB]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, hide_short_help = true)]
    receive_memory: Option<u64>,
    #[command(flatten)]
    faults: Faults,
}

impl ClusterFlags {
    /// # Errors
    /// If a flag is given that one node has no use for.
    pub(super) fn refuse_for_node(&self, platform: &str) -> Result<()> {
        let given = (!self.distribution.is_empty()).then_some("--distribution");
        let given = given.or(self.no_message_priorities.then_some("--no-message-priorities"));
        let given = given.or(self.sends.map(|_| "--sends"));
        let given = given.or(self.receives.map(|_| "--receives"));
        let given = given.or(self.receive_memory.map(|_| "--receive-memory"));
        let given = given.or(self.faults.given());
        let Some(flag) = given else { return Ok(()) };
        Err(refused(format!(
            "{flag}: {platform} is one node; give a set of nodes, such as 4{platform}, or the file of a cluster"
        )))
    }
}

/// What is simulated, every default settled.
struct Case<'a> {
    workload: &'static Workload,
    setting: Setting,
    cluster: ClusterPlatform,
    maps: Maps,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    asked: Asked,
    flags: &'a Simulate,
}

/// What a simulation came to.
struct Done {
    run: ClusterRun<Result<u64, FlowError>>,
    /// The bytes that each rank held at most, where they are counted.
    peaks: Vec<u64>,
    contents: Contents,
    /// Area bound in seconds.
    area: Option<f64>,
    /// Operations.
    flops: f64,
    /// Time that simulating took.
    seconds: f64,
}

/// Simulates `task` on `cluster`, and tells what it came to.
pub(super) fn run(
    flags: &Simulate,
    task: Task,
    mut cluster: ClusterPlatform,
    console: Console,
) -> Result<()> {
    let reading = flags.reading(&task);
    let Task { workload, mut setting, policy, eviction, asked } = task;
    let is_read = matches!(workload.spread, Spread::Lines(_));
    let maps = |name| Maps::new(workload, &setting.sizes, &cluster, name, reading);
    let maps = match &flags.cluster.distribution[..] {
        [] => maps(None)?,
        [only] => maps(Some(only))?,
        several if workload.name == FIT => {
            let each = several.iter().map(|name| maps(Some(name))).collect::<Result<Vec<_>>>()?;
            let last = each.last().expect("there are several").clone();
            setting.evaluations = Some(Arc::new(Evaluations::new(each)));
            last
        }
        [_, second, ..] => {
            return Err(refused(format!(
                "--distribution {second}: {} has one distribution; the evaluations of a fit may \
                 have several",
                workload.name
            )));
        }
    };
    setting.spread(&maps);
    add_workers(workload, &setting, &mut cluster);
    // What is planned knows nothing of them.
    flags.cluster.faults.apply(&mut cluster, is_read)?;
    let case = Case { workload, setting, cluster, maps, policy, eviction, asked, flags };
    let mut done = case.simulate(&console)?;
    case.describe(&console, &done);
    let result = case.result(&done);
    if let Some(trace) = &mut done.run.trace {
        flags.trace.write(trace, &result, &console)?;
    }
    flags.output.write(&result)?;
    console.finish()
}

/// Gives the nodes of `cluster` the workers that `workload` wants besides.
pub(crate) fn add_workers(workload: &Workload, setting: &Setting, cluster: &mut ClusterPlatform) {
    if workload.takes(CRITICAL_WORKER) && setting.has(CRITICAL_WORKER) {
        cluster.nodes.iter_mut().for_each(|node| node.add_worker_for(CRITICAL));
    }
}

/// Runs `workload` on every rank of a cluster, after `begin`; the most bytes that each held, where
/// they are counted.
pub(crate) fn simulated(
    options: ClusterOptions,
    workload: &Workload,
    setting: &Setting,
    maps: &Maps,
    begin: impl Fn(&Flow) + Sync,
) -> ClusterRun<Result<u64, FlowError>> {
    Cluster::new(options).run(FlowOptions::default(), |flow| {
        begin(flow);
        flow.set_owners(maps.owners.clone());
        workload.submit(flow, setting).and_then(|()| flow.wait())?;
        Ok(flow.memory().peak_bytes as u64)
    })
}

/// The bytes that each rank held at most.
///
/// # Errors
/// That of the first task that failed.
pub(crate) fn peaks(run: &ClusterRun<Result<u64, FlowError>>) -> Result<Vec<u64>> {
    let peaks = run.answers.iter().map(|answer| match answer {
        Ok(peak) => Ok(*peak),
        Err(error) => Err(refused(error.to_string())),
    });
    peaks.collect()
}

/// Refuses what a node of `cluster` has no memory for: of these bytes each holds so many at most.
pub(crate) fn check_memory(cluster: &ClusterPlatform, peaks: &[u64]) -> Result<()> {
    for (rank, (node, &peak)) in cluster.nodes.iter().zip(peaks).enumerate() {
        if let Some(installed) = node.platform.ram_bytes.filter(|&installed| installed < peak) {
            return Err(no_room(format!(
                "rank {rank} ({}) would hold {}, and has {} of memory: give more nodes, or another \
                 --distribution",
                node.platform.name,
                bytes_up(peak),
                bytes(installed as f64)
            )));
        }
    }
    Ok(())
}

impl Case<'_> {
    fn simulate(&self, console: &Console) -> Result<Done> {
        let progress = Mutex::new(Progress::new(console));
        let (contents, area) = self.census(&progress)?;
        let (flags, usual) = (&self.flags.cluster, self.cluster.options(self.policy));
        let options = ClusterOptions {
            sends: flags.sends.map_or(usual.sends, |sends| sends as usize),
            receives: flags.receives.map_or(usual.receives, |receives| receives as usize),
            receive_bytes: flags.receive_memory.unwrap_or(usual.receive_bytes),
            eviction: self.eviction,
            seed: self.flags.seed,
            noise: self.flags.noise,
            message_priorities: !flags.no_message_priorities,
            trace: self.flags.trace.is_wanted(),
            costs: self.asked.costs.clone(),
            ..usual
        };
        let start = Instant::now();
        let watches = Mutex::new(Vec::new());
        let run = simulated(options, self.workload, &self.setting, &self.maps, |flow| {
            self.watch(flow, &watches, &progress, contents.tasks);
        });
        let seconds = start.elapsed().as_secs_f64();
        let peaks = peaks(&run)?;
        check_memory(&self.cluster, &peaks)?;
        let flops = self.workload.flops(&self.setting.sizes).unwrap_or(contents.flops);
        Ok(Done { run, peaks, contents, area, flops, seconds })
    }

    /// Shows how far all ranks are, once they are all there.
    fn watch(
        &self,
        flow: &Flow,
        watches: &Mutex<Vec<Watch>>,
        progress: &Mutex<Progress>,
        tasks: u64,
    ) {
        let mut watches = watches.lock().unwrap_or_else(PoisonError::into_inner);
        watches.push(flow.watch());
        if watches.len() == self.cluster.nodes.len() {
            let watches = std::mem::take(&mut *watches);
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.follow_all(watches, tasks as f64, "simulating");
        }
    }

    /// What tasks take at least of which each node runs few at a time.
    fn capped_seconds(&self, contents: &Contents) -> f64 {
        let kinds = contents.types.iter().zip(&contents.codelets);
        let seconds = kinds.filter_map(|(kind, &(codelet, cost))| {
            let rates = self.cluster.nodes.iter().map(|node| node.capped_rate(codelet, cost));
            let together: f64 = rates.sum::<Option<f64>>()?;
            Some(kind.tasks as f64 / together)
        });
        seconds.sum()
    }

    /// What the program consists of, and the area bound of all its tasks on all workers.
    ///
    /// # Errors
    /// If nobody knows how long a task takes, or the program takes other decisions than those
    /// given.
    fn census(&self, progress: &Mutex<Progress>) -> Result<(Contents, Option<f64>)> {
        let (machine, durations) = self.cluster.pool();
        let (census, contents) = Census::new(durations, &machine);
        let mut flow = Flow::new(census, FlowOptions::default());
        let most = self.workload.tasks(&self.setting.sizes);
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.follow(flow.watch(), most as f64, "counting");
        // All of it on one rank.
        let (earlier, dealing, evaluations) = (None, None, None);
        let setting = Setting { earlier, dealing, evaluations, ..self.setting.clone() };
        let submitted = self.workload.submit(&mut flow, &setting);
        submitted.and_then(|()| flow.wait()).expect("a census has no failures");
        setting.check_followed(&mut flow)?;
        drop(flow);
        let contents = contents.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (kind, (codelet, cost)) in contents.types.iter().zip(&contents.codelets) {
            if kind.seconds.iter().all(Option::is_none) {
                let flops = number(cost.flops, 4);
                return Err(refused(format!(
                    "--platform {}: no worker of its nodes has a time of {codelet} of {flops} operations, \
                     or room for its data",
                    self.cluster.name
                )));
            }
        }
        let area = area_bound(&contents, &machine);
        let area = area.map(|area| area.max(self.capped_seconds(&contents)));
        Ok((contents, area))
    }

    /// Joules that all nodes take until the last task has ended, if it is known what each draws.
    fn joules(&self, done: &Done) -> Option<f64> {
        let seconds = done.makespan_seconds();
        let nodes = self.cluster.nodes.iter().zip(&done.run.totals);
        nodes.map(|(node, totals)| node.joules(totals, seconds)).sum()
    }
}

impl Done {
    fn makespan_seconds(&self) -> f64 {
        1e-9 * self.run.makespan() as f64
    }

    fn gflops(&self) -> f64 {
        1e-9 * self.flops / self.makespan_seconds().max(1e-9)
    }

    /// Share of the time of all workers of these ranks in which they computed.
    fn busy(&self, ranks: impl IntoIterator<Item = usize>) -> f64 {
        let totals = ranks.into_iter().map(|rank| &self.run.totals[rank]);
        let (busy, workers) = totals.fold((0, 0), |(busy, workers), totals| {
            (busy + totals.busy.iter().sum::<u64>(), workers + totals.busy.len())
        });
        busy as f64 / (self.run.makespan().max(1) as f64 * workers.max(1) as f64)
    }

    /// Tasks that a rank ran.
    fn tasks(&self, rank: usize) -> u64 {
        self.run.totals[rank].tasks.iter().sum()
    }

    fn sent(&self) -> Traffic {
        self.run.traffic()
    }
}
