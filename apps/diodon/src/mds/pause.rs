//! Pauses between passes: what a method holds there can be written, and another run goes on with
//! it.
//!
//! Nothing of it depends on how many workers and ranks there are, nor on tiles: panels are written
//! row by row.

use std::io::{Read, Write};
use std::ops::ControlFlow;

use tegula_files::checkpoint::{read_numbers, read_word, write_numbers, write_word};
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::Rank;
use tegula_tiles::TileMatrix;

use crate::EmbedError;
use crate::gram::Gram;

/// Writes what a method holds beside the Gram matrix, and what that has. Over ranks all call it,
/// since it brings panels to rank 0, who writes.
pub type Save<'a> = dyn FnMut(&mut Flow, &Gram, &mut dyn Write) -> Result<(), EmbedError> + 'a;

/// What happens between passes.
pub trait Pauses {
    /// What an earlier run has saved, if this one is to go on with it; asked for once, before the
    /// first pass.
    fn resume(&mut self) -> Option<Box<dyn Read>>;

    /// Called after each pass over `gram` that is followed by another: `save` writes what it takes
    /// to go on from there. Ranks may [share](Gram::distribute) the next pass in another way. Says
    /// whether to go on.
    fn pause(&mut self, flow: &mut Flow, gram: &mut Gram, save: &mut Save<'_>) -> ControlFlow<()>;
}

/// No pauses.
#[derive(Clone, Copy, Debug)]
pub struct NoPauses;

impl Pauses for NoPauses {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        None
    }

    fn pause(&mut self, _: &mut Flow, _: &mut Gram, _: &mut Save<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Pauses after a pass over `gram`; `save` writes what there is beside it.
///
/// # Errors
/// [`EmbedError::Stopped`] if the run is to end.
pub(super) fn pause(
    flow: &mut Flow,
    gram: &mut Gram,
    pauses: &mut dyn Pauses,
    save: &mut dyn FnMut(&mut Flow, &mut dyn Write) -> Result<(), EmbedError>,
) -> Result<(), EmbedError> {
    let outcome = pauses.pause(flow, gram, &mut |flow, gram, out| {
        gram.save(flow, out)?;
        save(flow, out)
    });
    match outcome {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(EmbedError::Stopped { passes: gram.passes() }),
    }
}

/// The rank that writes.
const ROOT: Rank = Rank(0);

/// Writes a panel on rank 0, row by row. Waits.
pub(super) fn save_panel(
    flow: &mut Flow,
    panel: &TileMatrix<f64>,
    out: &mut dyn Write,
) -> Result<(), EmbedError> {
    let width = panel.n();
    write_word(out, width as u64)?;
    (0..panel.mt()).for_each(|i| flow.bring(panel.tile(i, 0), ROOT));
    for i in 0..panel.mt() {
        let (handle, rows) = (panel.tile(i, 0), panel.tile_rows(i));
        if let Some(tile) = flow.read_at::<f64>(handle, ROOT)? {
            let by_rows: Vec<f64> =
                (0..rows * width).map(|at| tile[at / width + at % width * rows]).collect();
            write_numbers(out, &by_rows)?;
        }
        flow.done_with_copies(handle);
    }
    Ok(())
}

/// Reads a panel that is cut as those of `gram`. Waits.
pub(super) fn load_panel(
    flow: &mut Flow,
    gram: &Gram,
    input: &mut dyn Read,
) -> Result<TileMatrix<f64>, EmbedError> {
    let width = read_word(input)? as usize;
    let panel = gram.panel(flow, width);
    for i in 0..panel.mt() {
        let rows = panel.tile_rows(i);
        let by_rows = read_numbers(input, rows * width)?;
        let tile: Vec<f64> =
            (0..rows * width).map(|at| by_rows[at / rows + at % rows * width]).collect();
        flow.overwrite(panel.tile(i, 0), &tile)?;
    }
    Ok(panel)
}
