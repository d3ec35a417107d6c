//! What an algorithm takes, found by submitting it to an engine that only counts.

use std::sync::{Arc, PoisonError};

use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sim::Census;

use super::entry::Entry;
use super::fill::Entries;
use super::inputs::Inputs;
use super::sizes::{Size, Sizes};
use crate::demand::{Demand, Grid, MOST_BYTES};

/// Most tiles along an edge that are counted one by one; of more, the number of tasks is
/// extrapolated.
const MOST_TILES: usize = 32;
/// Pieces of data beyond which nothing is counted, since no run may have them.
const MOST_PIECES: usize = 1 << 24;

/// What the tasks of an algorithm are.
#[derive(Clone, Debug)]
pub(super) struct Rehearsal {
    /// Tasks before it that are not timed, those left out that fill the matrices.
    pub(super) prepared: f64,
    /// Tasks of the algorithm.
    pub(super) timed: f64,
    /// Bytes that the largest of all works on.
    pub(super) task_bytes: u64,
    /// Names of their codelets.
    pub(super) codelets: Vec<&'static str>,
}

impl Rehearsal {
    /// Counts the tasks of `entry`, where workers share one memory without limit or not.
    pub(super) fn of(entry: &Entry, sizes: Sizes, is_flat: bool) -> Self {
        let grids = entry.operands.iter().map(|operand| operand.grid(&sizes));
        let edge = grids.map(|grid| grid.mt().max(grid.nt())).max().unwrap_or(0);
        if edge <= MOST_TILES {
            return Self::counted(entry, sizes, is_flat);
        }
        let part = |tiles: usize| {
            let shrunk = |size: usize| (size * tiles).div_ceil(edge).max(size.min(sizes.nb));
            // Tiles hold the problems of a batch whole.
            let is_cut = |size| !entry.is_batch() || size == Size::Count;
            let change = |size, value| if is_cut(size) { shrunk(value) } else { value };
            Self::counted(entry, sizes.mapped(change), is_flat)
        };
        let parts = [MOST_TILES, MOST_TILES / 2, MOST_TILES / 4].map(part);
        let growth = edge as f64 / MOST_TILES as f64;
        let [whole, ..] = &parts;
        // Columns of blocks are as high as the matrix.
        let height = if entry.is_cut_one_way() { growth } else { 1.0 };
        Self {
            prepared: grown(parts.each_ref().map(|part| part.prepared), growth),
            timed: grown(parts.each_ref().map(|part| part.timed), growth),
            task_bytes: (whole.task_bytes as f64 * height) as u64,
            codelets: whole.codelets.clone(),
        }
    }

    fn counted(entry: &Entry, sizes: Sizes, is_flat: bool) -> Self {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
        let census = census.acting_for(sizes.workers, is_flat);
        let mut flow = Flow::new(census, FlowOptions::default());
        let mut problem = (entry.problem)(&mut flow, sizes, &Inputs::default());
        let count = |flow: &mut Flow| {
            flow.wait().expect("a census has no failures");
            contents.lock().unwrap_or_else(PoisonError::into_inner).tasks as f64
        };
        problem.prepare(&mut flow);
        let prepared = count(&mut flow);
        problem.submit(&mut flow);
        let timed = count(&mut flow) - prepared;
        let contents = contents.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut codelets: Vec<&'static str> = Vec::new();
        for (name, _) in contents.codelets {
            if !codelets.contains(&name) {
                codelets.push(name);
            }
        }
        Self { prepared, timed, task_bytes: contents.largest_task_bytes, codelets }
    }
}

/// A count on a grid of tiles `growth` times as large as one on which it is `whole`, if on the half and
/// the quarter of that it was `half` and `quarter`.
///
/// Of a polynomial, the factor by which doubling the grid makes it grow comes closer to a power of two by
/// half of what was missing each time.
fn grown([whole, half, quarter]: [f64; 3], growth: f64) -> f64 {
    if quarter == 0.0 {
        return whole;
    }
    let (last, before) = (whole / half, half / quarter);
    let (mut count, mut missing, mut doublings) = (whole, last - before, growth.log2());
    let limit = last + missing;
    while doublings > 0.0 {
        missing /= 2.0;
        count *= (limit - missing).max(1.0).powf(doublings.min(1.0));
        doublings -= 1.0;
    }
    count.round()
}

/// Names of the codelets of `entry`.
pub(super) fn codelets(entry: &Entry, sizes: Sizes) -> Vec<&'static str> {
    let sizes = Sizes { nb: 1, ..sizes.mapped(|_, _| 3) };
    Rehearsal::of(entry, sizes, false).codelets
}

/// Tasks that fill the matrices of `entry`.
pub(super) fn fill_tasks(entry: &Entry, sizes: &Sizes) -> f64 {
    let filled = entry.operands.iter().filter(|operand| operand.entries != Entries::Nothing);
    filled.map(|operand| operand.grid(sizes).tiles() as f64).sum()
}

/// What `entry` asks of memories.
pub(super) fn demand(entry: &Entry, sizes: &Sizes) -> Demand {
    let grids = entry.grids(sizes);
    let rows = grids.iter().map(Grid::mt).max().unwrap_or(0);
    // A check may have a vector more.
    let pieces = grids.iter().map(Grid::tiles).sum::<usize>() + rows;
    let bytes = grids.iter().map(Grid::bytes).sum();
    let (copy_bytes, plain_bytes) = (entry.copy_bytes(sizes), (entry.plain_bytes)(sizes));
    if pieces > MOST_PIECES || bytes >= MOST_BYTES {
        return Demand {
            bytes,
            dealt: grids,
            copy_bytes,
            plain_bytes,
            task_bytes: 0,
            pieces,
            tasks: 0.0,
        };
    }
    // Of memories that are short the machine is not flat.
    let rehearsal = Rehearsal::of(entry, *sizes, false);
    let tasks = fill_tasks(entry, sizes) + rehearsal.prepared + rehearsal.timed;
    let task_bytes = rehearsal.task_bytes.max((entry.task_bytes)(sizes));
    Demand { bytes, dealt: grids, copy_bytes, plain_bytes, task_bytes, pieces, tasks }
}
