//! What a program takes, found by submitting it to an engine that only counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tegula_runtime::flow::{Decisions, Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sim::{Census, Contents};

use super::random::Entries;
use super::sizes::{Size, Sizes};
use super::{Footprint, Inputs, Program};
use tegula_tiles::{MOST_BYTES, TileGrid};

/// Tiles along an edge that are counted one by one; of more than the most of them the number of
/// tasks is extrapolated.
const PARTS: [usize; 4] = [32, 24, 16, 8];
/// Pieces of data beyond which nothing is counted, since no run may have them.
const MOST_PIECES: usize = 1 << 24;

/// What the tasks of an algorithm are.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Tasks before it that are not timed, those left out that fill the matrices.
    pub prepared: f64,
    /// Tasks of the algorithm.
    pub timed: f64,
    /// Data that these read and do not write, each counted for every task.
    pub reads: f64,
    /// Bytes that the largest of both works on.
    pub task_bytes: u64,
    /// Names of the codelets of both.
    pub codelets: Vec<&'static str>,
}

/// What an engine that only counts has found.
type Found = Arc<Mutex<Contents>>;

/// A flow on an engine that only counts, which programs see as one of so many workers that share
/// one memory without limit or not, and where it writes what it finds.
fn counting((workers, is_flat): (usize, bool)) -> (Flow, Found) {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
    (Flow::new(census.acting_for(workers, is_flat), FlowOptions::default()), contents)
}

/// What was found so far.
fn read(found: &Found) -> MutexGuard<'_, Contents> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names of codelets, each once.
fn names(contents: &Contents) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for &(name, _) in &contents.codelets {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Names of the codelets that `program` submits, and waits for.
pub fn codelets_of(program: impl FnOnce(Flow)) -> Vec<&'static str> {
    let (flow, found) = counting((1, false));
    program(flow);
    names(&read(&found))
}

impl Counts {
    /// Counts the tasks of `program`, where workers share one memory without limit or not.
    pub fn of(program: &Program, sizes: Sizes, is_flat: bool) -> Self {
        Self::deciding(program, sizes, is_flat, None).expect("all decisions are taken as they come")
    }

    /// The same of a run that takes these decisions; nothing if the program does not take them
    /// all, or not in the sizes that are counted.
    pub fn deciding(
        program: &Program,
        sizes: Sizes,
        is_flat: bool,
        decisions: Option<&Decisions>,
    ) -> Option<Self> {
        let edge = program.edge(&sizes);
        if edge <= PARTS[0] {
            return Self::counted(program, sizes, is_flat, decisions);
        }
        let parts = PARTS.map(|tiles| program.part(&sizes, tiles));
        let parts = parts.map(|part| Self::counted(program, part, is_flat, decisions));
        let [Some(first), Some(second), Some(third), Some(fourth)] = parts else { return None };
        Some(Self::extrapolated(program, edge, &[first, second, third, fourth]))
    }

    /// The same of so many tiles along an edge, from parts of it.
    fn extrapolated(program: &Program, edge: usize, parts: &[Self; 4]) -> Self {
        let growth = edge as f64 / PARTS[0] as f64;
        let [whole, ..] = parts;
        let all = |count: fn(&Self) -> f64| extrapolated(parts.each_ref().map(count), edge);
        // Columns of blocks are as high as the matrix.
        let height = if program.is_cut_one_way() { growth } else { 1.0 };
        Self {
            prepared: all(|part| part.prepared),
            timed: all(|part| part.timed),
            reads: all(|part| part.reads),
            task_bytes: (whole.task_bytes as f64 * height) as u64,
            codelets: whole.codelets.clone(),
        }
    }

    pub(super) fn counted(
        program: &Program,
        sizes: Sizes,
        is_flat: bool,
        decisions: Option<&Decisions>,
    ) -> Option<Self> {
        let (mut flow, found) = counting((sizes.workers, is_flat));
        let mut problem = program.instance(&mut flow, sizes, &Inputs::default());
        let count = |flow: &mut Flow| {
            flow.wait().expect("a census has no failures");
            let contents = read(&found);
            (contents.tasks as f64, contents.reads as f64)
        };
        problem.prepare(&mut flow);
        let (prepared, reads_before) = count(&mut flow);
        decisions.into_iter().for_each(|decisions| flow.follow(decisions.clone()));
        problem.submit(&mut flow);
        let (all, reads) = count(&mut flow);
        if !flow.end_following() {
            return None;
        }
        let (timed, reads) = (all - prepared, reads - reads_before);
        let contents = read(&found);
        let (task_bytes, codelets) = (contents.largest_task_bytes, names(&contents));
        drop(contents);
        Some(Self { prepared, timed, reads, task_bytes, codelets })
    }
}

/// A count on a grid of `edge` tiles along an edge, from those on grids of [`PARTS`]: the cubic
/// polynomial through them (Lagrange), as counts of algorithms are that take a task for each tile,
/// or pair or triple of its indices.
fn extrapolated(counts: [f64; 4], edge: usize) -> f64 {
    let at = |of: usize| PARTS[of] as f64;
    let weight = |of: usize| {
        let others = (0..PARTS.len()).filter(|&other| other != of);
        others.map(|other| (edge as f64 - at(other)) / (at(of) - at(other))).product::<f64>()
    };
    let count: f64 = counts.iter().enumerate().map(|(of, count)| count * weight(of)).sum();
    count.round().max(counts[0])
}

impl Program {
    /// Most tiles along an edge of an operand.
    pub(super) fn edge(&self, sizes: &Sizes) -> usize {
        let grids = self.operands.iter().map(|operand| operand.grid(sizes));
        grids.map(|grid| grid.mt().max(grid.nt())).max().unwrap_or(0)
    }

    /// `sizes` so much smaller that there are at most so many tiles along an edge.
    pub(super) fn part(&self, sizes: &Sizes, tiles: usize) -> Sizes {
        let edge = self.edge(sizes);
        let shrunk = |size: usize| (size * tiles).div_ceil(edge).max(size.min(sizes.nb));
        // Tiles hold the problems of a batch whole.
        let is_cut = |size| !self.is_batch() || size == Size::Count;
        sizes.mapped(|size, value| if is_cut(size) { shrunk(value) } else { value })
    }

    /// Names of its codelets.
    #[must_use]
    pub fn codelets(&self, sizes: Sizes) -> Vec<&'static str> {
        let sizes = Sizes { nb: 1, ..sizes.mapped(|_, _| 3) };
        Counts::of(self, sizes, false).codelets
    }

    /// Tasks that fill its matrices.
    #[must_use]
    pub fn fill_tasks(&self, sizes: &Sizes) -> f64 {
        let filled = self.operands.iter().filter(|operand| operand.entries != Entries::Nothing);
        filled.map(|operand| operand.grid(sizes).tiles() as f64).sum()
    }

    /// What it asks of memories.
    #[must_use]
    pub fn footprint(&self, sizes: &Sizes) -> Footprint {
        let dealt = self.grids(sizes);
        let rows = dealt.iter().map(TileGrid::mt).max().unwrap_or(0);
        // A check may have a vector more.
        let pieces = dealt.iter().map(TileGrid::tiles).sum::<usize>() + rows;
        let (bytes, plain_bytes) =
            (dealt.iter().map(TileGrid::bytes).sum(), (self.plain_bytes)(sizes));
        let operands = Footprint { bytes, dealt, plain_bytes, pieces, ..Footprint::default() };
        if pieces > MOST_PIECES || bytes >= MOST_BYTES {
            return operands;
        }
        // Of memories that are short the machine is not flat.
        let counts = Counts::of(self, *sizes, false);
        let tasks = self.fill_tasks(sizes) + counts.prepared + counts.timed;
        let [moved, flat] = [false, true].map(|is_flat| self.beside_bytes(sizes, tasks, is_flat));
        let beside_bytes = moved.min(flat);
        let most = if sizes.workers > 1 { self.most_beside_bytes(sizes, tasks) } else { flat };
        Footprint {
            bytes: bytes + beside_bytes,
            beside_bytes,
            copy_bytes: flat - beside_bytes,
            race_bytes: self.is_steady().then_some(most.saturating_sub(flat)),
            task_bytes: counts.task_bytes.max((self.task_bytes)(sizes)),
            tasks,
            ..operands
        }
    }
}
