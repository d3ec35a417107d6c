//! What a factorisation needs to go on between two of its steps: the tiles of its matrices, the
//! rows that it has exchanged, and how far it is. Rank 0 writes it tile by tile, and each rank
//! reads its own.

use std::io::Write;
use std::marker::PhantomData;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tegula_files::checkpoint::{
    Body, DetachedData, read_digests, read_word, read_words, write_digests, write_word, write_words,
};
use tegula_files::{Digest, digest_bytes};
use tegula_kernels::error::NumericalError;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::program::{Instance, Size};
use tegula_linalg::with_matrix;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow};
use tegula_runtime::ranks::Rank;
use tegula_tiles::{TileIndex, TileMatrix};

use super::registry::Registry;

/// The tiles of these operands that exist, operand by operand.
fn tiles_of(instance: &dyn Instance, operands: &[usize]) -> Vec<(usize, TileIndex)> {
    let tiles = |&operand: &usize| {
        let layout = instance.layout(operand);
        let tiles: Vec<TileIndex> =
            with_matrix!(instance.operand(operand), |matrix| layout.tiles(matrix).collect());
        tiles.into_iter().map(move |tile| (operand, tile))
    };
    operands.iter().flat_map(tiles).collect()
}

/// Bytes of the tiles of these operands.
pub(super) fn state_bytes(instance: &dyn Instance, operands: &[usize]) -> u64 {
    let tiles = tiles_of(instance, operands).into_iter();
    let bytes = |(operand, tile)| with_matrix!(instance.operand(operand), |m| bytes_of(m, tile));
    tiles.map(|tile| bytes(tile) as u64).sum()
}

/// Writes what it takes to go on after so many `steps` that change these operands. Waits.
///
/// # Errors
/// Those of the flow and of `out`.
pub(super) fn save(
    flow: &mut Flow,
    instance: &dyn Instance,
    operands: &[usize],
    steps: usize,
    out: &mut dyn Write,
) -> Result<()> {
    let (mut digests, mut written) = (Vec::new(), Ok(()));
    for &operand in operands {
        let layout = instance.layout(operand);
        with_matrix!(instance.operand(operand), |matrix| {
            matrix.visit_at(flow, Rank(0), layout.tiles(matrix), |_, entries| {
                let bytes = bytemuck::cast_slice(entries);
                digests.push(digest_bytes(bytes));
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            })
        })?;
    }
    let pivots = match instance.pivots() {
        Some(pivots) => Some((pivots.rows(flow)?, pivots.singular(flow)?)),
        None => None,
    };
    written?;
    write_digests(out, &digests)?;
    write_word(out, steps as u64)?;
    if let Some((rows, singular)) = pivots {
        let rows: Vec<u64> = rows.into_iter().map(u64::from).collect();
        write_word(out, singular.map_or(0, step_of))?;
        write_words(out, &rows)?;
    }
    Ok(())
}

/// Submits the tasks that fill the operands: these as they were `saved`, others as they were at
/// first. Answers after how many steps that was.
///
/// # Errors
/// Those of the flow, and of a file that ends too early.
pub(super) fn restore(
    flow: &mut Flow,
    instance: &dyn Instance,
    operands: &[usize],
    mut saved: Body,
) -> Result<usize> {
    let (bytes, expected) = (saved.apart().bytes(), state_bytes(instance, operands));
    ensure!(bytes == expected, "the checkpoint holds {bytes} bytes of tiles, not {expected}");
    let tiles = tiles_of(instance, operands);
    let cut = "the checkpoint cannot be read";
    let digests = read_digests(&mut saved, tiles.len()).context(cut)?;
    let steps = read_word(&mut saved).context(cut)? as usize;
    if let Some(pivots) = instance.pivots() {
        let singular = read_word(&mut saved).context(cut)? as usize;
        let count = instance.sizes().of(Size::Least);
        let rows = read_words(&mut saved, count).context(cut)?;
        let rows: Vec<u32> = rows.into_iter().map(|row| row as u32).collect();
        pivots.set(flow, &rows, singular)?;
    }
    instance.fill_but(flow, operands);
    let state = State { tiles: saved.apart().clone(), digests };
    let state = OPEN.number_of(&Arc::new(state));
    let mut at = 0;
    for (piece, (operand, tile)) in tiles.into_iter().enumerate() {
        with_matrix!(instance.operand(operand), |matrix| {
            submit(flow, (state, piece), at, matrix, tile);
            at += bytes_of(matrix, tile) as u64;
        });
    }
    Ok(steps)
}

/// Submits the task that reads one tile, number `piece` of those in `state`, which begins at byte
/// `at`.
fn submit<T: Scalar>(
    flow: &mut Flow,
    (state, piece): (u32, usize),
    at: u64,
    matrix: &TileMatrix<T>,
    tile: TileIndex,
) {
    let restore = Restore::<T> { state, piece: piece as u32, at, scalar: PhantomData };
    flow.submit(restore, &[(matrix.tile(tile.row, tile.column), W)], 0);
}

fn bytes_of<T: Scalar>(matrix: &TileMatrix<T>, tile: TileIndex) -> usize {
    matrix.tile_rows(tile.row) * matrix.tile_columns(tile.column) * size_of::<T>()
}

/// The step that found no pivot, from 1.
fn step_of(failure: NumericalError) -> u64 {
    match failure {
        NumericalError::Singular { index } => index as u64,
        other => panic!("not a missing pivot: {other}"),
    }
}

/// Tiles in a checkpoint.
struct State {
    tiles: DetachedData,
    digests: Vec<Digest>,
}

/// Those that tasks of this process read.
static OPEN: Registry<State> = Registry::new();

/// Name of the tasks.
pub(super) const NAME: &str = "restore";

/// Reads one tile.
#[derive(Clone, Copy)]
struct Restore<T> {
    state: u32,
    /// Number of the tile, and where it begins.
    piece: u32,
    at: u64,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Restore<T> {
    const NAME: &'static str = NAME;
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let state = OPEN.get(self.state);
        let tile = bytemuck::cast_slice_mut(buffers.write::<T>(0));
        Ok(state.tiles.read(self.at, tile, &state.digests[self.piece as usize])?)
    }
}
