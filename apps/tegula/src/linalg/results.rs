//! `--output`: what an algorithm leaves, as one of NumPy's files.

use std::path::Path;

use anyhow::Result;
use tegula_files::npy::NpyWriter;
use tegula_files::{FillError, WriteError};
use tegula_kernels::scalar::{Precision, Real, Scalar};
use tegula_linalg::program::{Instance, Layout, Program};
use tegula_linalg::with_matrix;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::ranks::Rank;
use tegula_tiles::{TileIndex, TileMatrix};

use crate::output::write_file;

/// The rank that writes.
const ROOT: Rank = Rank(0);

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
enum ResultError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// Writes what `program` has left in `instance` to `path`: the operand that is its result, or the
/// first matrix that it made, or values in a column.
///
/// # Errors
/// Those of the file and of the flow.
pub(super) fn write(
    path: &Path,
    flow: &mut Flow,
    program: &Program,
    instance: &dyn Instance,
) -> Result<()> {
    let result = program.operands.iter().position(|operand| operand.is_result);
    if let Some(index) = result {
        let rows = instance.sizes().of(program.operands[index].rows_written);
        let layout = instance.layout(index);
        with_matrix!(instance.operand(index), |m| write_matrix(path, flow, (m, rows), layout))
    } else if let Some(made) = instance.made() {
        with_matrix!(made, |m| write_matrix(path, flow, (m, m.m()), Layout::FULL))
    } else {
        match instance.sizes().precision {
            Precision::Single | Precision::ComplexSingle => {
                write_values::<f32>(path, instance.spectrum())
            }
            Precision::Double | Precision::ComplexDouble => {
                write_values::<f64>(path, instance.spectrum())
            }
        }
    }
}

/// Writes the first `rows` rows of `matrix` to `path`, a column of tiles at a time; where only a
/// triangle of it exists, with zeros beside it. Over ranks rank 0 alone has the tiles.
///
/// # Errors
/// Those of the file and of the flow.
fn write_matrix<T: Scalar>(
    path: &Path,
    flow: &mut Flow,
    (matrix, rows): (&TileMatrix<T>, usize),
    layout: Layout,
) -> Result<()> {
    write_file::<ResultError>(path, |out| {
        let mut writer = NpyWriter::<_, T>::new(out, (rows, matrix.n()))?;
        let mut written = Ok(());
        for column in 0..matrix.nt() {
            let entries = column_of_tiles(flow, matrix, column, layout);
            let entries = entries.map_err(|error| FillError::Content(error.into()))?;
            // Other ranks are at it: what the file cannot take is brought together all the same.
            for column in entries.chunks_exact(matrix.m().max(1)) {
                written = written.and_then(|()| writer.push(&column[..rows]));
            }
        }
        written?;
        if flow.rank() == ROOT {
            writer.finish();
        }
        Ok(())
    })
}

/// Writes real numbers to `path`, in one column.
///
/// # Errors
/// Those of the file.
fn write_values<R: Real>(path: &Path, values: &[f64]) -> Result<()> {
    write_file::<ResultError>(path, |out| {
        let mut writer = NpyWriter::<_, R>::new(out, (values.len(), 1))?;
        let values: Vec<R> = values.iter().map(|&value| R::of_f64(value)).collect();
        writer.push(&values)?;
        writer.finish();
        Ok(())
    })
}

/// The entries of a column of tiles on rank 0, column by column; none on the others.
fn column_of_tiles<T: Scalar>(
    flow: &mut Flow,
    matrix: &TileMatrix<T>,
    column: usize,
    layout: Layout,
) -> Result<Vec<T>, FlowError> {
    let m = matrix.m();
    let columns = if flow.rank() == ROOT { matrix.tile_columns(column) } else { 0 };
    let mut entries = vec![T::ZERO; m * columns];
    let rows = (0..matrix.mt()).filter(|&row| layout.has_tile(row, column));
    let tiles = rows.map(|row| TileIndex { row, column });
    matrix.visit_at(flow, ROOT, tiles, |TileIndex { row, .. }, tile| {
        let (rows, first) = (matrix.tile_rows(row), row * matrix.mb());
        for (position, &entry) in tile.iter().enumerate() {
            let (i, j) = (first + position % rows, position / rows);
            if layout.holds(i, column * matrix.nb() + j) {
                entries[i + j * m] = entry;
            }
        }
    })?;
    Ok(entries)
}
