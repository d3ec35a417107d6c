//! `tegula simulate`: runs a program in virtual time on a machine, or a cluster of nodes, that is
//! only described.

mod cluster;
mod costs;
mod node;
pub(crate) mod program;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::kernel::pack::Pack;
use tegula_kernels::scalar::Precision;
use tegula_linalg::allow_packing;
use tegula_plan::platform::cluster::{ClusterNode, ClusterPlatform};
use tegula_plan::platform::{PLATFORMS, Platform, PlatformEntry, set_reading};
use tegula_runtime::flow::Codelet;
use tegula_runtime::sched::{EvictionPolicy, ORDER, POLICIES, Policy};

use crate::error::refused;
use crate::flags::{
    OutputFlags, PassFlags, TraceFlags, check_eviction, chosen_eviction, evictions, policies,
    precision_parser,
};
use crate::machine::memory_bytes;
use crate::output::number;
use crate::plan::Reading;
use cluster::ClusterFlags;
pub(crate) use cluster::{add_workers, check_memory, peaks, simulated};
pub(crate) use costs::{Asked, CostFlags};
use node::Changes;
pub(crate) use node::whole;
use program::{Problem, Setting, Sizes, Spread, WORKLOADS, Workload};

/// Flags of `simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula simulate cholesky --platform mirage --tiles 40 --tile-size 960 --precision s --policy dmdas
  tegula simulate gemm-2d --platform mirage --tiles 40 --tile-size 960 --precision s --cores 0 \\
      --devices 1 --device-memory 500MiB --link-rate 600MB --policy darts --trace run.html
  tegula simulate lu --platform 14chetemi+7chifflet --tiles 100 --distribution 1d1d-c+s
  tegula simulate exageostat --platform 4chifflet --tiles 60 --without overlap --trace run.html
  tegula simulate pca --platform 4chifflet --tiles 40 --passes 8 --without keep
  tegula simulate sparse-qr-contexts --platform riri-d --tiles 24 --tile-size 192
  tegula simulate gesv --platform 4chifflet --tiles 40 --nrhs 100
  tegula simulate posv-mixed --platform 4chifflet --tiles 40 --decisions 2r
  tegula simulate cholesky --platform 8chetemi --tiles 60 --slow 3=0.5 --trace run.html
  tegula simulate gemm-3d --platform mirage --tiles 30 --policy dmdar --measure-deciding")]
pub(crate) struct Simulate {
    /// Program, or a routine that "tegula linalg --list" has
    #[arg(value_name = "PROGRAM", value_parser = workloads())]
    workload: &'static Workload,
    #[arg(long, value_name = "NAME|SET|FILE", help = platform_help())]
    platform: PathBuf,
    /// Tiles along an edge; of sparse-qr points along that of a cube
    #[arg(long, value_name = "N", required_unless_present = "input", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    tiles: Option<u32>,
    /// A sparse matrix for sparse-qr instead: Matrix Market, Harwell- or Rutherford-Boeing
    #[arg(long, value_name = "A.mtx", conflicts_with = "tiles")]
    input: Option<PathBuf>,
    /// Order of the tiles
    #[arg(long, value_name = "N", default_value_t = 960, value_parser = clap::value_parser!(u32).range(1..=65536))]
    tile_size: u32,
    /// Right-hand sides of a solve
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..1_000_000))]
    nrhs: u32,
    /// Evaluations of a fit
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..1_000_000))]
    evaluations: u32,
    /// Places to predict at [default: those of a tile]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..100_000_000))]
    places: Option<u32>,
    #[command(flatten)]
    pass: PassFlags,
    /// Numbers of 32 bits (s, single) or 64 (d, double)
    #[arg(long, value_name = "P", default_value = "d", value_parser = precision_parser())]
    precision: Precision,
    /// Who runs which task
    #[arg(long, value_name = "NAME", default_value = "dmdas", value_parser = policies())]
    policy: usize,
    /// Tasks of each worker in the order of another run instead: the table that --trace FILE.csv
    /// wrote
    #[arg(long, value_name = "FILE.csv", conflicts_with = "policy")]
    order: Option<PathBuf>,
    /// What leaves a memory that is full [default: what suits the policy]
    #[arg(long, value_name = "NAME", value_parser = evictions())]
    eviction: Option<usize>,
    #[arg(long, value_name = "MEASURES", value_delimiter = ',', help = MEASURES_HELP, long_help = measures_page())]
    without: Vec<String>,
    /// Coefficient of variation of task times
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    noise: f64,
    /// What a run of a routine decided by entries of its matrices, as "tegula linalg" tells it
    /// [default: what it decides for zeros]
    #[arg(long, value_name = "LETTERS")]
    decisions: Option<String>,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    cluster: ClusterFlags,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    costs: CostFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

fn workloads() -> impl TypedValueParser<Value = &'static Workload> {
    programs(WORKLOADS.iter().collect())
}

/// A parser of the names of `workloads`; help does not show those of plain routines.
pub(crate) fn programs(
    workloads: Vec<&'static Workload>,
) -> impl TypedValueParser<Value = &'static Workload> {
    let value = |workload: &&Workload| {
        let value = PossibleValue::new(workload.name).help(workload.summary);
        value.hide(workload.is_plain_routine())
    };
    PossibleValuesParser::new(workloads.iter().map(value)).map(move |name| {
        let named = workloads.iter().find(|workload| workload.name == name);
        *named.expect("a listed name")
    })
}

/// Help of `--platform` of commands that take clusters.
pub(crate) fn platform_help() -> String {
    let names: Vec<&str> = PLATFORMS.iter().map(|PlatformEntry { name, .. }| *name).collect();
    format!(
        "Machine, or cluster: a name ({}), a set of nodes such as 14chetemi+7chifflet, or a file",
        names.join(", ")
    )
}

/// Help of `--without`, in short and at length.
const MEASURES_HELP: &str = "What to do without, to see what it is worth, separated by commas";

fn measures_page() -> String {
    let of = |workload: &Workload| {
        let measures = workload.measures.iter();
        let list = measures.map(|measure| format!("\n- {}: {}", measure.name, measure.without));
        format!("\nOf {}:{}", workload.name, list.collect::<String>())
    };
    let measured = WORKLOADS.iter().filter(|workload| !workload.measures.is_empty());
    let lists: Vec<String> = measured.map(of).collect();
    format!("{MEASURES_HELP}{}", lists.join(""))
}

/// What is run and who decides, every default settled.
struct Task {
    workload: &'static Workload,
    setting: Setting,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    asked: Asked,
}

impl Simulate {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        let task = self.task()?;
        if ClusterPlatform::is_named_by(&self.platform) {
            self.changes.refuse_for_cluster()?;
            if let Some(path) = &self.order {
                let path = path.display();
                return Err(refused(format!("--order {path}: orders are those of one machine")));
            }
            let cluster = ClusterPlatform::find(&self.platform)?;
            let cluster = if task.reads() { self.reading(&task).on(cluster) } else { cluster };
            pack_as_known(&cluster);
            cluster::run(self, task, cluster, console)
        } else {
            self.cluster.refuse_for_node(&self.platform.to_string_lossy())?;
            let mut platform = self.changes.apply(Platform::find(&self.platform)?)?;
            if task.reads() {
                let Reading { bytes_per_second, readers, .. } = self.reading(&task);
                set_reading(&platform.models, &mut platform.machine, bytes_per_second, readers);
            }
            node::run(self, task, platform, console)
        }
    }

    fn reading(&self, task: &Task) -> Reading {
        self.pass.reading(task.workload.products(&task.setting))
    }

    fn task(&self) -> Result<Task> {
        if !(self.noise >= 0.0 && self.noise < 10.0) {
            let noise = number(self.noise, 3);
            return Err(refused(format!("--noise {noise}: give a number from 0 to 10")));
        }
        let workload = self.workload;
        let policy = if self.order.is_some() { &ORDER } else { &POLICIES[self.policy] };
        let matrix = self.input.as_deref().map(|path| self.read(path)).transpose()?;
        let sizes = Sizes {
            tiles: self.tiles.unwrap_or(1) as usize,
            nb: self.tile_size as usize,
            precision: self.precision,
            nrhs: self.nrhs as usize,
            width: self.pass.width as usize,
            evaluations: self.evaluations as usize,
            places: self.places.unwrap_or(self.tile_size) as usize,
            passes: self.pass.passes as usize,
            seed: self.seed,
            matrix,
        };
        workload.check_precision(self.precision)?;
        let eviction = chosen_eviction(self.eviction, policy);
        check_eviction(eviction, policy)?;
        let decisions = self.decisions.as_deref().map(|text| workload.read_decisions(text));
        let (without, decisions) = (self.without(workload)?, decisions.transpose()?);
        let setting = Setting { without, decisions, ..Setting::new(sizes) };
        let asked = self.costs.read()?;
        Ok(Task { workload, setting, policy, eviction, asked })
    }

    /// The sparse matrix that is factorised.
    fn read(&self, path: &Path) -> Result<&'static Problem> {
        if !self.workload.takes_matrix() {
            let (path, name) = (path.display(), self.workload.name);
            return Err(refused(format!("--input {path}: {name} takes no matrix; give --tiles")));
        }
        if self.precision != Precision::Double {
            return Err(refused("sparse matrices are factorised in --precision d alone"));
        }
        Problem::read(path, memory_bytes().unwrap_or(u64::MAX) / 4)
    }

    /// The measures that are left away.
    fn without(&self, workload: &Workload) -> Result<Vec<&'static str>> {
        let find = |name: &String| {
            let found = workload.measures.iter().find(|measure| measure.name == name);
            found.map(|measure| measure.name).ok_or_else(|| {
                let names: Vec<&str> = workload.measures.iter().map(|m| m.name).collect();
                let (program, names) = (workload.name, names.join(", "));
                refused(if names.is_empty() {
                    format!("--without {name}: {program} takes no measures that can be left away")
                } else {
                    format!("--without {name}: {program} can do without {names}")
                })
            })
        };
        self.without.iter().map(find).collect()
    }
}

impl Task {
    /// Whether its program reads.
    fn reads(&self) -> bool {
        matches!(self.workload.spread, Spread::Lines(_))
    }
}

/// Has programs pack tiles for the products that follow, as they do on this machine where its
/// backend reads them faster so, only if the times of that are known.
pub(crate) fn pack_as_known(cluster: &ClusterPlatform) {
    let knows = |node: &ClusterNode| {
        node.platform.models.entries().iter().any(|entry| entry.codelet == Pack::<f64>::NAME)
    };
    allow_packing(cluster.nodes.iter().all(knows));
}
