//! Submatrices as routines work on them: in place where their blocks are tiles, else in copies.
#![allow(unsafe_code)]

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{redistribute, tile_size};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::ranks::Rank;
use tegula_tiles::{Storage, TileMatrix};

use super::cyclic::{Axis, Layout};
use super::grid::Grid;
use super::moves;
use crate::array::{Array, Matrix};

/// What this process has of a submatrix: an array of columns that are `ld` entries apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distributed<T> {
    pub(super) array: Array<T>,
    pub(super) ld: usize,
    pub(super) layout: Layout,
    /// The triangle that is used, if not all is.
    pub(super) triangle: Option<Uplo>,
}

/// How the tiles of a copy are spread over the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// Over rows and columns of the grid.
    Grid,
    /// Whole columns of the matrix, over all processes.
    Columns,
    /// Whole rows of the matrix, over all processes.
    Rows,
}

/// Smallest blocks that are taken for tiles as they are: in smaller ones kernels are slow, and it
/// is faster to move all. Products and solves on blocks of 128 took .8 of the time of those on
/// blocks of 64 that are moved.
const LEAST: usize = if cfg!(feature = "tiny-tiles") { 1 } else { 96 };
/// The same for Cholesky factorisations, which have more to do for each entry: on blocks of 128 in
/// place they took 1.1 times as long.
const LEAST_TO_FACTORISE: usize = if cfg!(feature = "tiny-tiles") { 1 } else { 192 };

/// The size of tiles along an edge of one of these axes: that of their blocks, so that nothing
/// moves, or else `size`.
pub(super) fn tile_of(axes: &[Axis], size: usize) -> usize {
    block_of(axes, LEAST).unwrap_or(size)
}

/// The same for a Cholesky factorisation.
pub(super) fn factor_tile_of(axes: &[Axis], size: usize) -> usize {
    block_of(axes, LEAST_TO_FACTORISE).unwrap_or(size)
}

fn block_of(axes: &[Axis], least: usize) -> Option<usize> {
    axes.iter().filter_map(|axis| axis.tile()).find(|&block| block >= least)
}

impl<T: Scalar> Distributed<T> {
    pub(super) fn new(array: Array<T>, ld: usize, layout: Layout) -> Self {
        Self { array, ld, layout, triangle: None }
    }

    pub(super) fn rows(&self) -> usize {
        self.layout.rows.length
    }

    pub(super) fn columns(&self) -> usize {
        self.layout.columns.length
    }

    /// The triangle `uplo` alone.
    pub(super) fn triangle(self, uplo: Uplo) -> Self {
        Self { triangle: Some(uplo), ..self }
    }

    /// The first rows.
    pub(super) fn top(self, rows: usize) -> Self {
        let layout = self.layout;
        Self { layout: Layout { rows: Axis { length: rows, ..layout.rows }, ..layout }, ..self }
    }

    /// Calls `with` for each block that this process has.
    pub(super) fn each_piece(&self, grid: &Grid, mut with: impl FnMut(Matrix<T>)) {
        for (_, column) in self.layout.columns.pieces_of(grid.column()) {
            for (_, row) in self.layout.rows.pieces_of(grid.row()) {
                let first = self.array.after(row.place + column.place * self.ld);
                with(first.matrix(row.length, column.length, self.ld));
            }
        }
    }

    /// Multiplies by `factor`; zero overwrites whatever is there.
    pub(super) fn scale(&self, grid: &Grid, factor: T) {
        self.each_piece(grid, |piece| piece.view_mut().scale(factor));
    }

    /// To take what a routine finds in other tiles.
    pub(super) fn awaiting(self, grid: &Grid) -> Working<T> {
        let size = tile_size(self.rows().min(self.columns()), grid.all_workers());
        let tile = [self.layout.rows, self.layout.columns].map(|axis| tile_of(&[axis], size));
        self.working(grid, Spread::Grid, tile.into(), false)
    }

    /// To be worked on in tiles of `tile`; `reads` where the entries are needed.
    pub(super) fn working(
        self,
        grid: &Grid,
        spread: Spread,
        tile: (usize, usize),
        reads: bool,
    ) -> Working<T> {
        let tile = (tile.0.max(1), tile.1.max(1));
        let Layout { rows, columns } = self.layout;
        let is_spread = match spread {
            Spread::Grid => true,
            Spread::Columns => grid.rows() == 1,
            Spread::Rows => grid.columns() == 1,
        };
        if is_spread && rows.is_cut_into(tile.0) && columns.is_cut_into(tile.1) {
            return Working { of: self, here: self, tile, copy: None };
        }
        let all = grid.processes();
        let (p, q) = match spread {
            Spread::Grid => (grid.rows(), grid.columns()),
            Spread::Columns => (1, all),
            Spread::Rows => (all, 1),
        };
        let (m, n) = (rows.length, columns.length);
        let layout = Layout { rows: Axis::whole(m, tile.0, p), columns: Axis::whole(n, tile.1, q) };
        let (row, column) = layout.position(grid.process());
        let (height, width) = (layout.rows.room(row), layout.columns.room(column));
        let mut copy = vec![T::ZERO; height * width];
        let here = Self { array: Array::of(&mut copy), ld: height.max(1), layout, ..self };
        if reads {
            moves::copy(grid, &self, &here);
        }
        Working { of: self, here, tile, copy: Some(copy) }
    }
}

/// A submatrix during a routine.
pub(super) struct Working<T> {
    /// As the caller has it.
    of: Distributed<T>,
    /// As the routine works on it: the same, or a copy.
    here: Distributed<T>,
    tile: (usize, usize),
    copy: Option<Vec<T>>,
}

impl<T: Scalar> Working<T> {
    /// The tiles, as handles of `flow`, which must be unregistered before this is put back.
    pub(super) fn lend(&self, flow: &mut Flow) -> TileMatrix<T> {
        let Distributed { array, ld, layout, .. } = self.here;
        let part = |row, column| {
            let (row, column) = (layout.rows.piece(row), layout.columns.piece(column));
            let owner = layout.process(row.owner, column.owner);
            (Rank(owner as u16), array.after(row.place + column.place * ld).pointer())
        };
        let shape = (layout.rows.length, layout.columns.length);
        // SAFETY: the promise of the array, which lasts until the routine returns; a copy lives as
        // long as this.
        unsafe { TileMatrix::lent_by_ranks(flow, shape, self.tile, Storage::Full, ld, part) }
    }

    /// Copies what the routine has found, which is given back, and waits.
    ///
    /// # Errors
    /// Those of the tasks.
    pub(super) fn take(&self, flow: &mut Flow, found: TileMatrix<T>) -> Result<(), FlowError> {
        let wanted = self.lend(flow);
        redistribute(flow, &found, &wanted);
        flow.wait()?;
        [found, wanted].into_iter().for_each(|matrix| matrix.unregister(flow));
        Ok(())
    }

    /// Gives the caller what the routine has made.
    pub(super) fn put_back(self, grid: &Grid) {
        if self.copy.is_some() {
            moves::copy(grid, &self.here, &self.of);
        }
    }
}
