//! What a factorisation needs to go on between two of its steps: the tiles of its matrices, the rows that
//! it has exchanged, and how far it is. Rank 0 writes it tile by tile, and each rank reads its own.

use std::io::Write;
use std::marker::PhantomData;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tegula_files::checkpoint::{
    Apart, Body, read_digests, read_word, read_words, write_digests, write_word, write_words,
};
use tegula_files::{Digest, digest_bytes};
use tegula_kernels::error::NumericalError;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow};
use tegula_runtime::ranks::Rank;
use tegula_tiles::{TileIndex, TileMatrix};

use super::case::Case;
use super::kept::Kept;

impl<T: Scalar> Case<T> {
    /// The tiles of these operands that exist, operand by operand.
    fn tiles_of(&self, operands: &[usize]) -> Vec<(&TileMatrix<T>, TileIndex)> {
        let tiles = |&operand: &usize| {
            let (matrix, layout) = (&self[operand], self.layout(operand));
            layout.tiles(matrix).map(move |tile| (matrix, tile))
        };
        operands.iter().flat_map(tiles).collect()
    }

    /// Bytes of the tiles of these operands.
    pub(super) fn state_bytes(&self, operands: &[usize]) -> u64 {
        let tiles = self.tiles_of(operands).into_iter();
        tiles.map(|(matrix, tile)| bytes_of(matrix, tile) as u64).sum()
    }

    /// Writes what it takes to go on after so many `steps` that change these operands. Waits.
    ///
    /// # Errors
    /// Those of the flow and of `out`.
    pub(super) fn save(
        &self,
        flow: &mut Flow,
        operands: &[usize],
        steps: usize,
        out: &mut dyn Write,
    ) -> Result<()> {
        let (mut digests, mut written) = (Vec::new(), Ok(()));
        for &operand in operands {
            let tiles = self.layout(operand).tiles(&self[operand]);
            self[operand].visit_at(flow, Rank(0), tiles, |_, entries| {
                let bytes = bytemuck::cast_slice(entries);
                digests.push(digest_bytes(bytes));
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            })?;
        }
        let pivots = match &self.pivots {
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

    /// Submits the tasks that fill the operands: these as they were `saved`, others as they were at first.
    /// Answers after how many steps that was.
    ///
    /// # Errors
    /// Those of the flow, and of a file that ends too early.
    pub(super) fn restore(
        &self,
        flow: &mut Flow,
        operands: &[usize],
        mut saved: Body,
    ) -> Result<usize> {
        let (bytes, expected) = (saved.apart().bytes(), self.state_bytes(operands));
        ensure!(bytes == expected, "the checkpoint holds {bytes} bytes of tiles, not {expected}");
        let tiles = self.tiles_of(operands);
        let cut = "the checkpoint cannot be read";
        let digests = read_digests(&mut saved, tiles.len()).context(cut)?;
        let steps = read_word(&mut saved).context(cut)? as usize;
        if let Some(pivots) = &self.pivots {
            let singular = read_word(&mut saved).context(cut)? as usize;
            let count = self.sizes.m.min(self.sizes.n);
            let rows = read_words(&mut saved, count).context(cut)?;
            let rows: Vec<u32> = rows.into_iter().map(|row| row as u32).collect();
            pivots.set(flow, &rows, singular)?;
        }
        self.fill_but(flow, operands);
        let state = State { tiles: saved.apart().clone(), digests };
        let state = OPEN.number_of(&Arc::new(state));
        let mut at = 0;
        for (piece, (matrix, tile)) in tiles.into_iter().enumerate() {
            let restore = Restore::<T> { state, piece: piece as u32, at, scalar: PhantomData };
            flow.submit(restore, &[(matrix.tile(tile.row, tile.column), W)], 0);
            at += bytes_of(matrix, tile) as u64;
        }
        Ok(steps)
    }
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
    tiles: Apart,
    digests: Vec<Digest>,
}

/// Those that tasks of this process read.
static OPEN: Kept<State> = Kept::new();

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
