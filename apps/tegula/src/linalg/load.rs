//! Tasks that read the tiles of a matrix from its file.

use std::marker::PhantomData;
use std::sync::Arc;

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, FlowError};
use tegula_tiles::{TileIndex, TileMatrix};

use super::file::MatrixFile;
use super::given::padded;
use super::kept::Kept;
use super::layout::Layout;
use super::state;
use crate::error::refused;

/// Files that tasks of this process read.
static OPEN: Kept<MatrixFile> = Kept::new();

/// Submits the tasks that read the tiles of `matrix` that exist.
pub(super) fn submit<T: Scalar>(
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
