//! What an embedding settles on before it begins.

use std::cell::RefCell;
use std::path::Path;

use anyhow::Result;
use tegula_diodon::mds::{
    self, Correction, METHODS, Method, MethodEntry, Plan, ProblemSize, Request, sketch_width,
};
use tegula_diodon::output::LabelsOfItems;
use tegula_diodon::stream::{Edges, Tiling, band_edge};
use tegula_kernels::kernel::sweep::lines;
use tegula_kernels::scalar::Precision;
use tegula_runtime::memory::rounded;
use tegula_tiles::Storage;

use super::Mds;
use tegula_linalg::program::Footprint;

use crate::cluster::{NodesRequest, nodes_distribution};
use crate::diodon::estimate::Expected;
use crate::diodon::labels;
use crate::diodon::matrix::Distances;
use crate::diodon::readers::{self, Readers};
use crate::diodon::weights;
use crate::error::refused;
use crate::flags::Run;
use crate::output::{Console, bytes, bytes_up, rate};
use crate::plan::Reading;
use crate::ranks::ranks;
use crate::work::{Passes, Program, Work};

/// Codelets of an embedding.
const CODELETS: &[&str] =
    &["read", "sweep", "compare", "gemm", "normal", "scale-rows", "panel-totals", "centre-panel"];
/// Items up to which Cailliez's constant is computed: an eigenproblem of twice their number.
const MOST_CAILLIEZ: usize = 1500;
/// Tiles beyond which not every task is recorded unless a trace is asked for.
const MOST_RECORDED: usize = 20_000;
/// Residual at which an axis counts as found, where distances are as precise as numbers are.
const TOLERANCE: f64 = 1e-8;
/// The same with products in single precision.
const SINGLE_TOLERANCE: f64 = 1e-5;
/// Passes that lanczos often takes.
const USUAL_PASSES: usize = 8;
/// Time of all eigenvalues with their vectors, in flops of products over the cube of the order: as
/// measured.
const DECOMPOSITION: f64 = 20.0;
/// Tiles of a pass for each one whose mirror image is read, too.
const SAMPLED: usize = 40;
/// Bytes that are read in any case to compare entries with their mirror images: all of some 20 000
/// items.
const COMPARED: usize = 4 << 30;

/// Everything settled.
pub(super) struct Setup {
    /// Squares off the diagonal whose mirror images are read, too.
    pub(super) samples: usize,
    /// How distances are cut.
    pub(super) tiling: Tiling,
    pub(super) distances: Distances,
    pub(super) method: &'static MethodEntry,
    pub(super) request: Request,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) labels: Option<LabelsOfItems>,
    pub(super) plan: Plan,
    pub(super) run: Run,
    pub(super) readers: Option<Readers>,
    /// Readers that the memory bears.
    bearable: usize,
    pub(super) is_recorded: bool,
    /// The ranks that are to be counted.
    pub(super) counted: Option<NodesRequest>,
}

impl Mds {
    /// Reads everything but the distances, refuses what cannot be used, and prints what will be
    /// done.
    pub(super) fn set_up(&self, console: &Console) -> Result<Setup> {
        let memory = self.run.memory()?;
        let scratch = self.run.scratch().unwrap_or_else(std::env::temp_dir);
        let distances = match self.metric {
            Some(metric) => {
                let path = Path::new(&self.input);
                Distances::computed(self.points.source(path, metric, memory)?)?
            }
            None if self.points.is_given() => {
                return Err(refused("--names and --columns are for points: say their --metric"));
            }
            None => Distances::open(&self.input, (memory, scratch), self.read.fill)?,
        };
        let n = distances.n();
        let memory = memory.saturating_sub(distances.resident_bytes);
        distances.describe(console);
        if self.matrix.precision.is_complex() {
            return Err(refused("--precision: distances are real numbers; give s or d"));
        }
        let listed = self.method.map_or_else(|| mds::default_method(n), |index| &METHODS[index]);
        let method = listed.method;
        self.check_flags(method)?;
        self.check_constant(n, memory)?;
        let axes = (self.axes as usize).min(n);
        let width = self
            .oversample
            .map_or_else(|| sketch_width(axes, n), |more| (axes + more as usize).min(n));
        let (element, grain) = (distances.source.element(), distances.source.grain());
        let edge = |slots: usize| band_edge((n, grain), element.bytes(), (slots, memory / 2));
        let tiling = |edge: usize| Tiling::of(&*distances.source, edge, true);
        let size = |edge: usize, workers: usize| {
            let tiling = tiling(edge);
            let tile_bytes = rounded(tiling.entries() * element.bytes()) as u64;
            let (tiles, correction) = (tiling.tiles(), self.correction);
            ProblemSize { n, axes, width, tile_bytes, tiles, workers, edge, correction }
        };
        let footprint = |edge: usize, workers: usize| {
            let size = size(edge, workers);
            footprint(mds::plan(method, size, memory), &size, edge)
        };
        let bearable = |workers: usize| readers::bearable(&*distances.source, memory, workers);
        let measured = RefCell::new(None);
        let count = self.expected_passes(method);
        let reading = |edge: usize, workers: usize| {
            let most = (self.readers, bearable(workers));
            let readers = readers::rated(&distances.source, &tiling(edge), most)?;
            let (bytes_per_second, at_a_time) = (readers.rate(), readers.count);
            measured.replace(Some(readers));
            let size = size(edge, workers);
            let tiles = size.tiles.div_ceil(ranks()) as u64;
            let is_kept = mds::plan(method, size, memory).ring_bytes >= tiles * size.tile_bytes;
            let products = if is_kept { count } else { 1 };
            Ok(Reading { bytes_per_second, readers: at_a_time, products })
        };
        let precision = if element.bytes() > 4 { Precision::Double } else { Precision::Single };
        let passes = Passes { count, width, precision, reading: &reading };
        let work = Work {
            order: n,
            tile_size: &|workers| edge(8 * workers),
            device_tile_size: None,
            codelets: &|| CODELETS.to_vec(),
            storage: Storage::Full,
            program: Some(Program::OfPasses(passes)),
            footprint: &footprint,
        };
        let planned = self.nodes.map(|_| nodes_distribution(self.run.distribution().as_deref()));
        let planned = planned.transpose()?;
        let run = match planned {
            Some(name) => self.run.planned_later(name).resolve(&self.matrix, &work)?,
            None => self.run.resolve(&self.matrix, &work)?,
        };
        self.check_nodes(method, &run)?;
        let counted = match planned.zip(self.nodes).filter(|_| !self.matrix.dry_run) {
            Some((name, choice)) => {
                let (question, needs) = run.question_of_passes(name, n, &passes)?;
                Some(NodesRequest { choice, question, needs })
            }
            None => None,
        };
        if counted.as_ref().is_some_and(|of| of.choice.is_auto() && of.question.holds_tiles()) {
            return Err(refused(
                "--nodes auto learns from passes that read, and all tiles stay in the memory of the ranks after \
                 the first: give a number, or --distribution auto",
            ));
        }
        let plan = mds::plan(method, size(run.nb, run.workers()), memory);
        let ids = &distances.ids;
        let weights = self.weights.as_ref().map(|path| weights::read(path, ids)).transpose()?;
        let labels = labels::read(self.labels.as_deref(), (ids, memory), console)?;
        let least = if run.precision == Precision::Double { TOLERANCE } else { SINGLE_TOLERANCE };
        let tolerance = self.tolerance.unwrap_or_else(|| least.max(element.epsilon()));
        let request = Request {
            axes,
            method,
            width,
            passes: self.passes.map(|passes| passes as usize),
            tolerance,
            capacity: plan.capacity,
            lingoes: self.correction == Some(Correction::Lingoes),
            seed: run.seed,
        };
        let is_open = self.readers.is_none() && !self.matrix.dry_run;
        let bearable = bearable(run.workers());
        let readers = match measured.into_inner() {
            Some(readers) => Some(readers),
            None => readers::find(&distances.source, &tiling(run.nb), (is_open, bearable))?,
        };
        let is_recorded = self.trace.is_wanted() || size(run.nb, 1).tiles <= MOST_RECORDED;
        let setup = Setup {
            samples: samples(n, tiling(run.nb).height(), element.bytes()),
            tiling: tiling(run.nb),
            bearable,
            distances,
            method: listed,
            request,
            weights,
            labels,
            plan,
            run,
            readers,
            is_recorded,
            counted,
        };
        self.announce(&setup, console);
        self.describe_checkpoints(&setup, console);
        Ok(setup)
    }

    /// Passes that are made, or that are likely.
    fn expected_passes(&self, method: Method) -> usize {
        let usual = if method == Method::Lanczos { USUAL_PASSES } else { 2 };
        self.passes.map_or(usual, |passes| passes as usize).max(2)
    }

    /// Refuses ranks that cannot be counted so.
    fn check_nodes(&self, method: Method, run: &Run) -> Result<()> {
        let Some(choice) = self.nodes else { return Ok(()) };
        if method == Method::Exact {
            return Err(refused(
                "--nodes counts ranks in passes, and the method exact has none: give --method lanczos",
            ));
        }
        choice.check(run.is_deterministic())?;
        // The first pass is not counted, and the second decides the third.
        let passes = match method {
            Method::Lanczos => self.passes.unwrap_or(u32::MAX),
            _ => self.passes.unwrap_or(2),
        };
        if choice.is_auto() && passes < 3 {
            return Err(refused(format!(
                "--nodes auto learns from pass to pass, and {passes} are too few: give a number, or --passes 3 at least"
            )));
        }
        Ok(())
    }

    /// Refuses Cailliez's correction of too many items for this machine.
    fn check_constant(&self, n: usize, memory: u64) -> Result<()> {
        if self.correction != Some(Correction::Cailliez) {
            return Ok(());
        }
        let order = 2 * n;
        if n > MOST_CAILLIEZ {
            return Err(refused(format!(
                "--correction cailliez takes an eigenproblem of order {order}, too large beyond {MOST_CAILLIEZ} items: give \
                 --correction lingoes"
            )));
        }
        let needed = mds::cailliez_bytes(n);
        if needed > memory {
            return Err(refused(format!(
                "--correction cailliez takes an eigenproblem of order {order}, which holds {}, more than the {} that may be used: \
                 allow more --memory, or give --correction lingoes",
                bytes_up(needed),
                bytes(memory as f64)
            )));
        }
        Ok(())
    }

    /// Refuses flags that contradict each other.
    fn check_flags(&self, method: Method) -> Result<()> {
        let is_sketched = matches!(method, Method::Randomized | Method::Nystrom);
        if self.correction == Some(Correction::Lingoes) && is_sketched {
            return Err(refused(
                "--correction lingoes needs the lowest eigenvalue, which a sketch does not find: \
                 give --method lanczos or exact",
            ));
        }
        if self.correction.is_some() && self.weights.is_some() {
            return Err(refused("--correction is for items of equal weight: leave --weights out"));
        }
        if is_sketched && self.passes == Some(1) {
            return Err(refused("--passes 1: a sketch takes two passes at least"));
        }
        let is_exact = method == Method::Exact;
        if is_exact && (self.passes.or(self.oversample).is_some() || self.tolerance.is_some()) {
            return Err(refused(
                "the method exact has no passes, no sketch and no tolerance: leave --passes, --oversample and \
                 --tolerance out, or give --method lanczos",
            ));
        }
        if is_sketched && self.tolerance.is_some() {
            return Err(refused(
                "--tolerance is for --method lanczos: a sketch takes as many passes as --passes says",
            ));
        }
        Ok(())
    }

    /// Prints what will be done.
    fn announce(&self, setup: &Setup, console: &Console) {
        let Setup { method, request, run, plan, .. } = setup;
        let reason = if self.method.is_none() { " (default for so many items)" } else { "" };
        let sketch = match method.method {
            Method::Exact => String::new(),
            _ => format!(", {} columns", request.width),
        };
        let axes = if request.axes == 1 { "axis" } else { "axes" };
        console.field(
            "method",
            format_args!("{}{reason}: {} {axes}{sketch}", method.name, request.axes),
        );
        run.describe(console);
        console.field("tiles read ahead", bytes(plan.ring_bytes as f64));
        if let Some(readers) = &setup.readers {
            let trials: Vec<String> = readers
                .trials
                .iter()
                .map(|(readers, speed)| format!("{readers}: {}", rate(*speed)))
                .collect();
            console.field(
                "readers",
                format_args!("{} (measured: {})", readers.count, trials.join(", ")),
            );
        }
    }
}

impl Setup {
    /// Tasks that may read at a time, if fewer than there are workers.
    pub(super) fn most_readers(&self, asked: Option<u32>) -> Option<usize> {
        readers::at_most(asked, (self.readers.as_ref(), self.bearable), self.run.workers())
    }
}

/// What the run is expected to do.
pub(super) fn expected(setup: &Setup) -> Expected<'_> {
    let Setup { distances, tiling, request, plan, .. } = setup;
    let n = distances.n() as f64;
    let tile_bytes = rounded(tiling.entries() * distances.source.element().bytes()) as u64;
    let (passes, width, flops) = match request.method {
        Method::Exact => ((2, "all of exact"), 0, DECOMPOSITION * n * n * n),
        Method::Randomized | Method::Nystrom => {
            ((request.passes.unwrap_or(2).max(2), "as asked for"), request.width, 0.0)
        }
        Method::Lanczos => {
            let most = request.passes.unwrap_or(usize::MAX);
            (
                (USUAL_PASSES.min(most), "often so many; more where eigenvalues are close"),
                request.width,
                0.0,
            )
        }
    };
    let is_held = plan.ring_bytes >= tiling.tiles() as u64 * tile_bytes;
    Expected { source: &*distances.source, tiling: *tiling, width, passes, is_held, flops }
}

/// Squares of `height` lines whose mirror images are read as well: some for all items, all of few.
fn samples(n: usize, height: usize, element_bytes: usize) -> usize {
    let bands = Edges::new(n, height).count();
    let cheap = COMPARED / (2 * height * height * element_bytes).max(1);
    (bands * (bands + 1) / 2).div_ceil(SAMPLED).max(16).max(cheap)
}

/// What a run asks for.
fn footprint(plan: Plan, size: &ProblemSize, edge: usize) -> Footprint {
    let ProblemSize { n, width, tile_bytes, tiles, .. } = *size;
    let panel = rounded(edge.min(n) * width * size_of::<f64>()) as u64;
    let line = rounded(lines::buffer_bytes(edge.min(n))) as u64;
    let bands = Edges::new(n, edge).count();
    let blocks = 2 * plan.capacity / width.max(1) + 4;
    Footprint {
        bytes: plan.bytes(),
        task_bytes: tile_bytes + 4 * panel + 2 * line,
        pieces: tiles.min((plan.ring_bytes / tile_bytes.max(1)) as usize) + bands * (blocks + 1),
        tasks: 2.0 * tiles as f64,
        ..Footprint::default()
    }
}
