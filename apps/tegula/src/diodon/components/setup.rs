//! What an analysis of a table settles on before it begins.

use std::ffi::OsStr;
use std::sync::Arc;

use anyhow::Result;
use tegula_diodon::Names;
use tegula_diodon::output::LabelsOfItems;
use tegula_diodon::singular::{
    self, METHODS, Method, MethodEntry, Plan, ProblemSize, Request, block_width,
};
use tegula_diodon::stream::{Edges, Tiling, band_edge};
use tegula_files::source::Source;
use tegula_kernels::kernel::sweep::lines;
use tegula_kernels::scalar::Precision;
use tegula_runtime::memory::rounded;
use tegula_tiles::Storage;

use super::{Analysis, ComponentFlags, MainTable, SideInputs};
use tegula_linalg::program::Footprint;

use crate::diodon::estimate::Expected;
use crate::diodon::labels;
use crate::diodon::matrix::{check_names_fit, check_unique, names_or_numbers, open};
use crate::diodon::readers::{self, Readers};
use crate::error::refused;
use crate::flags::Run;
use crate::output::{Console, bytes};
use crate::work::Work;

/// Codelets of an analysis.
const CODELETS: &[&str] =
    &["read", "sweep", "gemm", "normal", "scale-band", "potrf", "trsm", "syrk", "trmm"];
/// The method where all that is wanted lies in the span of instruments.
const PROJECTION: MethodEntry = MethodEntry {
    name: "projection",
    summary: "one product with a basis of the instruments, and its decomposition",
    method: Method::Krylov,
};
/// Tiles beyond which not every task is recorded unless a trace is asked for.
const MOST_RECORDED: usize = 200_000;
/// Passes that krylov often takes.
const USUAL_PASSES: usize = 16;
/// Time of a singular value decomposition in flops of products, over the product of the longer side
/// and the square of the shorter one: as measured.
const DECOMPOSITION: f64 = 40.0;
/// Residual at which an axis counts as found, with products in double and in single precision.
const TOLERANCE: [f64; 2] = [1e-8, 1e-5];

/// Everything settled.
pub(in crate::diodon) struct Setup {
    pub(in crate::diodon) source: Arc<dyn Source>,
    pub(in crate::diodon) names: Names,
    pub(in crate::diodon) method: &'static MethodEntry,
    pub(super) request: Request,
    pub(in crate::diodon) side_inputs: SideInputs,
    pub(super) labels: Option<LabelsOfItems>,
    pub(super) plan: Plan,
    pub(super) run: Run,
    readers: Option<Readers>,
    /// Readers that the memory bears.
    bearable: usize,
    pub(super) is_recorded: bool,
}

impl ComponentFlags {
    /// Reads everything but the entries, refuses what cannot be used, and prints what will be done.
    pub(super) fn set_up(
        &self,
        input: &OsStr,
        analysis: &dyn Analysis,
        console: &Console,
    ) -> Result<Setup> {
        let memory = self.run.memory()?;
        let scratch = self.run.scratch().unwrap_or_else(std::env::temp_dir);
        let source = open(input, None, (memory / 4, scratch.clone()), self.read.fill)?;
        let shape @ [m, n] = source.shape();
        if m == 0 || n == 0 {
            return Err(refused(format!("{}: the table is empty", source.name())));
        }
        check_names_fit(&*source, m.saturating_add(n), memory)?;
        let names = names(&*source)?;
        if self.matrix.precision.is_complex() {
            return Err(refused("--precision: tables hold real numbers; give s or d"));
        }
        let table = MainTable { source: &*source, names: &names, memory, scratch: &scratch };
        let side_inputs = analysis.side_inputs(&table)?;
        let method = self.listed_method(shape, &side_inputs)?;
        let element = source.element();
        console.field("table", format_args!("{}: {m} x {n}, {}", source.name(), element.name()));
        side_inputs.describe(console);
        let mut axes = (self.axes as usize).min(m).min(n);
        if let (true, Some(instruments)) = (side_inputs.is_projection(), &side_inputs.instruments) {
            axes = axes.min(instruments.ids.len());
        }
        let width = self
            .oversample
            .map_or_else(|| block_width(axes, shape), |more| (axes + more as usize).min(m).min(n));
        let order = m.max(n);
        let edge =
            |slots: usize| band_edge((order, source.grain()), element.bytes(), (slots, memory / 2));
        let tiling = |edge: usize| Tiling::of(&*source, edge, false);
        let size = |edge: usize, workers: usize| {
            let tiling = tiling(edge);
            let (tile, tiles) = (tiling.entries() * element.bytes(), tiling.tiles());
            let (tile_bytes, side_bytes) = (rounded(tile) as u64, side_inputs.bytes(shape));
            ProblemSize { shape, axes, width, tile_bytes, tiles, workers, side_bytes }
        };
        let plan = |edge: usize, workers: usize| {
            singular::plan(method.method, size(edge, workers), memory)
        };
        let footprint = |edge: usize, workers: usize| {
            footprint(plan(edge, workers), &size(edge, workers), edge)
        };
        let work = Work {
            order,
            tile_size: &|workers| edge(8 * workers),
            device_tile_size: None,
            codelets: &|| CODELETS.to_vec(),
            storage: Storage::Full,
            program: None,
            footprint: &footprint,
        };
        let run = self.run.resolve(&self.matrix, &work)?;
        let plan = plan(run.nb, run.workers());
        let tiles = size(run.nb, 1).tiles;
        let labels = labels::read(self.labels.as_deref(), (&names.items, memory), console)?;
        let request = Request {
            axes,
            method: method.method,
            width,
            passes: self.passes.map(|passes| passes as usize),
            tolerance: self
                .tolerance
                .unwrap_or_else(|| TOLERANCE[usize::from(run.precision != Precision::Double)]),
            capacity: plan.capacity,
            seed: run.seed,
        };
        let is_open = self.readers.is_none() && !self.matrix.dry_run;
        let bearable = readers::bearable(&*source, memory, run.workers());
        let readers = readers::find(&source, &tiling(run.nb), (is_open, bearable))?;
        let is_recorded = self.trace.is_wanted() || tiles <= MOST_RECORDED;
        let setup = Setup {
            source,
            names,
            method,
            request,
            side_inputs,
            labels,
            plan,
            run,
            readers,
            bearable,
            is_recorded,
        };
        self.announce(&setup, console);
        Ok(setup)
    }

    /// The method that is asked for, or fits.
    fn listed_method(
        &self,
        shape: [usize; 2],
        side_inputs: &SideInputs,
    ) -> Result<&'static MethodEntry> {
        let is_iterated = self.passes.is_some() || self.tolerance.is_some();
        if side_inputs.is_projection() {
            if is_iterated || self.method.is_some() || self.oversample.is_some() {
                return Err(refused(
                    "--instruments takes no --method, --passes, --tolerance and --oversample: one product with the table \
                     gives all axes; leave them out",
                ));
            }
            return Ok(&PROJECTION);
        }
        let method =
            self.method.map_or_else(|| singular::default_method(shape), |index| &METHODS[index]);
        if method.method == Method::Exact && is_iterated {
            return Err(refused(
                "--method exact takes no --passes and no --tolerance: leave them out",
            ));
        }
        Ok(method)
    }

    /// Prints what will be done.
    fn announce(&self, setup: &Setup, console: &Console) {
        let Setup { method, request, run, plan, .. } = setup;
        let is_projection = setup.side_inputs.is_projection();
        let is_default = self.method.is_none() && !is_projection;
        let reason = if is_default { " (default for this shape)" } else { "" };
        let has_blocks = method.method == Method::Krylov && !is_projection;
        let width = request.width;
        let block = if has_blocks { format!(", blocks of {width} columns") } else { String::new() };
        let axes = if request.axes == 1 { "axis" } else { "axes" };
        console.field(
            "method",
            format_args!("{}{reason}: {} {axes}{block}", method.name, request.axes),
        );
        run.describe(console);
        console.field("tiles read ahead", bytes(plan.ring_bytes as f64));
        if let Some(readers) = &setup.readers {
            console.field("readers", format_args!("{} (measured)", readers.count));
        }
    }
}

impl Setup {
    /// What the run is expected to do.
    pub(super) fn expected(&self) -> Expected<'_> {
        let Self { source, method, request, plan, run, side_inputs, .. } = self;
        let tiling = Tiling::of(&**source, run.nb, false);
        let tile_bytes = rounded(tiling.entries() * source.element().bytes()) as u64;
        let [long, short] = {
            let [m, n] = source.shape();
            [m.max(n) as f64, m.min(n) as f64]
        };
        let (passes, width, flops) = if side_inputs.is_projection() {
            let instruments = side_inputs.instruments.as_ref().map_or(0, |all| all.ids.len());
            ((3, "all of a projection"), instruments, 0.0)
        } else if method.method == Method::Exact {
            ((2, "all of exact"), 0, DECOMPOSITION * long * short * short)
        } else {
            let most = request.passes.unwrap_or(usize::MAX);
            let passes =
                (USUAL_PASSES.min(most), "often so many; more where eigenvalues are close");
            (passes, request.width, 0.0)
        };
        let is_held = plan.ring_bytes >= tiling.tiles() as u64 * tile_bytes;
        Expected { source: &**source, tiling, width, passes, is_held, flops }
    }

    /// Tasks that may read at a time, if fewer than there are workers.
    pub(super) fn most_readers(&self, asked: Option<u32>) -> Option<usize> {
        readers::at_most(asked, (self.readers.as_ref(), self.bearable), self.run.workers())
    }
}

/// Names of rows and columns, each its own, or numbers.
fn names(source: &dyn Source) -> Result<Names> {
    let [m, n] = source.shape();
    for (names, what) in [(source.row_names(), "row"), (source.column_names(), "column")] {
        if let Some(names) = names {
            check_unique(source.name(), what, names)?;
        }
    }
    let items = names_or_numbers(source.row_names(), m);
    Ok(Names { items, variables: names_or_numbers(source.column_names(), n) })
}

/// What a run asks for.
fn footprint(plan: Plan, size: &ProblemSize, edge: usize) -> Footprint {
    let ProblemSize { shape, width, tile_bytes, tiles, .. } = *size;
    let edges = shape.map(|length| Edges::new(length, edge));
    let widest = edges[0].widest().max(edges[1].widest());
    let panel = rounded(widest * width * size_of::<f64>()) as u64;
    let line = rounded(lines::buffer_bytes(widest)) as u64;
    let bands = edges[0].count() + edges[1].count();
    let blocks = 2 * plan.capacity / width.max(1) + 6;
    Footprint {
        bytes: plan.ring_bytes + plan.panel_bytes,
        task_bytes: tile_bytes + 4 * panel + 2 * line,
        pieces: tiles.min((plan.ring_bytes / tile_bytes.max(1)) as usize) + bands * (blocks + 1),
        tasks: 2.0 * tiles as f64,
        ..Footprint::default()
    }
}
