//! Tasks that read the tiles of a matrix from its file.

use std::marker::PhantomData;
use std::sync::Arc;

use tegula_kernels::scalar::{Precision, Real, Scalar, c32, c64};
use tegula_linalg::program::{AnyMatrix, InputMatrix, Layout};
use tegula_linalg::with_matrix;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, FlowError};
use tegula_tiles::{TileIndex, TileMatrix};

use super::file::MatrixFile;
use super::registry::Registry;
use super::state;
use crate::error::refused;

/// Files that tasks of this process read.
static OPEN: Registry<MatrixFile> = Registry::new();

/// Columns of a file that are read at a time.
const COLUMNS: usize = 64;

/// A matrix that comes from a file.
#[derive(Debug)]
pub(super) struct FileMatrix(pub(super) Arc<MatrixFile>);

impl InputMatrix for FileMatrix {
    fn fill(&self, flow: &mut Flow, matrix: AnyMatrix<'_>, layout: Layout) {
        with_matrix!(matrix, |matrix| submit(flow, (&self.0, layout), matrix));
    }

    fn visit(
        &self,
        stored: (usize, usize),
        layout: Layout,
        precision: Precision,
        visit: &mut dyn FnMut(usize, usize, c64),
    ) -> Result<(), Failure> {
        match precision {
            Precision::Single => visit_as::<f32>(&self.0, stored, layout, visit),
            Precision::Double => visit_as::<f64>(&self.0, stored, layout, visit),
            Precision::ComplexSingle => visit_as::<c32>(&self.0, stored, layout, visit),
            Precision::ComplexDouble => visit_as::<c64>(&self.0, stored, layout, visit),
        }
    }
}

/// Calls `visit` with row, column and value of each entry that exists of the `m x n` that are
/// stored, rounded to `T`.
fn visit_as<T: Scalar>(
    file: &MatrixFile,
    (m, n): (usize, usize),
    layout: Layout,
    visit: &mut dyn FnMut(usize, usize, c64),
) -> Result<(), Failure> {
    let width = file.columns_at_once(COLUMNS);
    for first in (0..n).step_by(width) {
        let columns = width.min(n - first);
        let block = padded::<T>(file, (0, first), (m, columns), |_, _| false)?;
        for (j, i) in (first..first + columns).flat_map(|j| (0..m).map(move |i| (j, i))) {
            if layout.holds(i, j) {
                let entry = block[i + (j - first) * m];
                visit(i, j, c64::new(entry.re().to_f64(), entry.im().to_f64()));
            }
        }
    }
    Ok(())
}

/// The block of `rows x columns` entries of `file` from entry `(i, j)` on, with zeros below its
/// last row.
fn padded<T: Scalar>(
    file: &MatrixFile,
    (i, j): (usize, usize),
    (rows, columns): (usize, usize),
    counts: impl Fn(usize, usize) -> bool,
) -> Result<Vec<T>, Failure> {
    let (m, _) = file.shape();
    let there = rows.min(m.saturating_sub(i));
    let block = file.block::<T>((i.min(m), j), (there, columns), counts)?;
    if there == rows {
        return Ok(block);
    }
    let mut whole = vec![T::ZERO; rows * columns];
    for column in 0..columns {
        let part = &block[column * there..][..there];
        whole[column * rows..][..there].copy_from_slice(part);
    }
    Ok(whole)
}

/// Submits the tasks that read the tiles of `matrix` that exist.
fn submit<T: Scalar>(
    flow: &mut Flow,
    (file, layout): (&Arc<MatrixFile>, Layout),
    matrix: &TileMatrix<T>,
) {
    let file = OPEN.number_of(file);
    for TileIndex { row, column } in layout.tiles(matrix) {
        let load = Load::<T> {
            file,
            layout,
            first: [row * matrix.mb(), column * matrix.nb()].map(|line| line as u32),
            shape: [matrix.tile_rows(row), matrix.tile_columns(column)].map(|size| size as u32),
            scalar: PhantomData,
        };
        flow.submit(load, &[(matrix.tile(row, column), W)], 0);
    }
}

/// The error of a flow; of a file, what is wrong with that alone.
pub(super) fn failure(error: FlowError) -> anyhow::Error {
    match &error {
        FlowError::Task { codelet: NAME | state::NAME, source, .. } => refused(source),
        _ => error.into(),
    }
}

/// Name of the tasks.
const NAME: &str = "load";

/// Reads one tile.
#[derive(Clone, Copy)]
struct Load<T> {
    file: u32,
    layout: Layout,
    /// Row and column of its first entry.
    first: [u32; 2],
    shape: [u32; 2],
    scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Load<T> {
    const NAME: &'static str = NAME;
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let file = OPEN.get(self.file);
        let ([i, j], [rows, columns]) = (self.first, self.shape);
        let (first, shape) = ((i as usize, j as usize), (rows as usize, columns as usize));
        let block = padded::<T>(&file, first, shape, |i, j| self.layout.holds(i, j))?;
        buffers.write::<T>(0)[..block.len()].copy_from_slice(&block);
        Ok(())
    }
}
