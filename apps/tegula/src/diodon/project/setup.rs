//! What a projection settles on before it begins.

use std::sync::Arc;

use anyhow::Result;
use tegula_diodon::output::LabelsOfItems;
use tegula_diodon::projection::{self, Embedding, Plan, ProblemSize};
use tegula_diodon::stream::{Edges, Tiling, band_edge};
use tegula_files::source::Source;
use tegula_kernels::kernel::sweep::lines;
use tegula_runtime::memory::rounded;
use tegula_tiles::Storage;

use super::Project;
use tegula_linalg::program::Footprint;

use crate::diodon::estimate::Expected;
use crate::diodon::labels;
use crate::diodon::matrix::{check_names_fit, check_unique, names_or_numbers, open};
use crate::diodon::readers;
use crate::error::refused;
use crate::flags::Run;
use crate::output::{Console, bytes, count};
use crate::work::Work;

/// Codelets of a projection.
const CODELETS: &[&str] = &["read", "sweep"];
/// Tiles beyond which not every task is recorded unless a trace is asked for.
const MOST_RECORDED: usize = 200_000;

/// Everything settled.
pub(super) struct Setup {
    pub(super) embedding: Embedding,
    pub(super) source: Arc<dyn Source>,
    /// Names of the new items.
    pub(super) ids: Vec<String>,
    /// Labels of the embedded items, then of the new ones.
    pub(super) labels: Option<LabelsOfItems>,
    pub(super) plan: Plan,
    pub(super) run: Run,
    /// Tiles that are read.
    pub(super) tiles: usize,
    pub(super) is_recorded: bool,
    /// Readers that the memory bears.
    pub(super) bearable: usize,
}

impl Project {
    /// Reads everything but the distances, refuses what cannot be used, and prints what will be
    /// done.
    pub(super) fn set_up(&self, console: &Console) -> Result<Setup> {
        if self.matrix.precision.is_complex() {
            return Err(refused("--precision: distances are real numbers; give s or d"));
        }
        let read = Embedding::read(&self.folder).map_err(refused)?;
        let memory = self.run.memory()?;
        let scratch = self.run.scratch().unwrap_or_else(std::env::temp_dir);
        let source = open(&self.input, None, (memory / 4, scratch), self.read.fill)?;
        let embedding = read.clone().in_order_of(&*source)?;
        if source.column_names().is_some() && embedding.ids != read.ids {
            console.note(if read.ids.contains(&embedding.ids[0]) {
                "columns are in another order than the embedding: they are matched by name"
            } else {
                "the embedded items have no names: columns are taken in their order"
            });
        }
        let shape @ [m, n] = source.shape();
        if m == 0 {
            return Err(refused(format!("{}: no new item", source.name())));
        }
        check_names_fit(&*source, m, memory)?;
        if let Some(names) = source.row_names() {
            check_unique(source.name(), "row", names)?;
        }
        let ids = names_or_numbers(source.row_names(), m);
        let memory = memory.saturating_sub(resident_bytes(&embedding, &*source, &ids));
        let (element, axes) = (source.element(), embedding.axes());
        let order = m.max(n);
        let edge =
            |slots: usize| band_edge((order, source.grain()), element.bytes(), (slots, memory / 2));
        let size = |edge: usize, workers: usize| {
            let tiling = Tiling::of(&*source, edge, false);
            let (tile, tiles) = (tiling.entries() * element.bytes(), tiling.tiles());
            ProblemSize { shape, axes, edge, tile_bytes: rounded(tile) as u64, tiles, workers }
        };
        let plan = |edge: usize, workers: usize| projection::plan(&size(edge, workers), memory);
        let footprint =
            |edge: usize, workers: usize| footprint(plan(edge, workers), &size(edge, workers));
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
        let is_recorded = self.trace.is_wanted() || tiles <= MOST_RECORDED;
        let bearable = readers::bearable(&*source, memory, run.workers());
        let labels = self.labels(&embedding, (&ids, memory), console)?;
        let setup =
            Setup { embedding, source, ids, labels, plan, run, tiles, is_recorded, bearable };
        self.announce(&setup, console);
        Ok(setup)
    }

    /// The labels of the embedded items and of the new ones.
    fn labels(
        &self,
        embedding: &Embedding,
        (ids, memory): (&[String], u64),
        console: &Console,
    ) -> Result<Option<LabelsOfItems>> {
        let all: Vec<String> = embedding.ids.iter().chain(ids).cloned().collect();
        labels::read(self.labels.as_deref(), (&all, memory), console)
    }

    /// Prints what will be done.
    fn announce(&self, setup: &Setup, console: &Console) {
        let Setup { embedding, source, plan, run, .. } = setup;
        let axes = if embedding.axes() == 1 { "axis" } else { "axes" };
        console.field(
            "embedding",
            format_args!(
                "{}: {}, {} {axes}",
                self.folder.display(),
                count(embedding.items(), "item"),
                embedding.axes()
            ),
        );
        let new = count(setup.ids.len(), "new item");
        let element = source.element().name();
        console.field("distances", format_args!("{}: {new}, {element}", source.name()));
        run.describe(console);
        console.field("tiles read ahead", bytes(plan.ring_bytes as f64));
    }
}

impl Setup {
    /// What the run is expected to do.
    pub(super) fn expected(&self) -> Expected<'_> {
        let Self { source, embedding, run, .. } = self;
        let tiling = Tiling::of(&**source, run.nb, false);
        let (width, passes) = (embedding.axes(), (1, "all there is"));
        Expected { source: &**source, tiling, width, passes, is_held: false, flops: 0.0 }
    }
}

/// Bytes that the embedding, names, and entries that were read already, hold.
fn resident_bytes(embedding: &Embedding, source: &dyn Source, ids: &[String]) -> u64 {
    let letters =
        |names: &[String]| -> usize { names.iter().map(|id| id.len() + size_of::<String>()).sum() };
    let weights = usize::from(embedding.weights.is_some());
    let numbers = embedding.items() * (embedding.axes() + 1 + weights) * size_of::<f64>();
    let is_read = source.stored_bytes_per_entry() == 0.0;
    let entries = source.shape().iter().product::<usize>() * source.element().bytes();
    // The names of either side, of the source as well, and the order in which repetitions are
    // looked for.
    let names = 2 * letters(&embedding.ids) + 3 * letters(ids);
    (numbers + names + if is_read { entries } else { 0 }) as u64
}

/// What a run asks for.
fn footprint(plan: Plan, size: &ProblemSize) -> Footprint {
    let ProblemSize { shape, axes, edge, tile_bytes, tiles, .. } = *size;
    let edges = shape.map(|length| Edges::new(length, edge));
    let widest = edges[0].widest().max(edges[1].widest());
    let panel = rounded(widest * axes * size_of::<f64>()) as u64;
    let line = rounded(lines::buffer_bytes(widest)) as u64;
    let bands = edges[0].count() + edges[1].count();
    Footprint {
        bytes: plan.ring_bytes + plan.panel_bytes,
        task_bytes: tile_bytes + 2 * panel + 2 * line,
        pieces: tiles.min((plan.ring_bytes / tile_bytes.max(1)) as usize) + 2 * bands,
        tasks: 2.0 * tiles as f64,
        ..Footprint::default()
    }
}
