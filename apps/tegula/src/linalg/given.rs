//! What a matrix holds at first: random entries, or those of a file.

use std::sync::Arc;

use anyhow::Result;
use tegula_data::format::npy::NpyMatrix;
use tegula_data::matrix::{TileIndex, TileMatrix};
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use super::fill::{Entries, RandomMatrix, tiles};
use super::inputs::Inputs;
use super::operand::Operand;
use super::sizes::Sizes;

/// Columns of a file that are read at a time.
const COLUMNS: usize = 64;

/// What a matrix holds at first.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// Random entries.
    Random(RandomMatrix),
    /// Those of a file.
    File(Arc<NpyMatrix>, Option<Uplo>),
}

impl Given {
    /// What operand number `index` holds.
    pub(super) fn new(operand: &Operand, index: usize, sizes: &Sizes, inputs: &Inputs) -> Self {
        let triangle = operand.triangle_of(sizes);
        if let Some(matrix) = inputs.of(operand) {
            return Self::File(matrix, triangle);
        }
        let (m, n) = operand.shape(sizes);
        let seeds = sizes.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self::Random(RandomMatrix {
            entries: operand.entries,
            order: m.max(n) as u32,
            triangle,
            seed: seeds.wrapping_add((index as u64) << 48),
        })
    }

    /// The triangle that exists, if not all does.
    pub(super) fn triangle(&self) -> Option<Uplo> {
        match self {
            Self::Random(matrix) => matrix.triangle,
            Self::File(_, triangle) => *triangle,
        }
    }

    fn holds(&self, i: usize, j: usize) -> bool {
        self.triangle().is_none_or(|uplo| uplo.holds(i, j))
    }

    /// Submits the tasks that fill `matrix`, or reads it.
    ///
    /// # Errors
    /// Those of the flow and of the file.
    pub(super) fn fill<T: Scalar>(&self, flow: &mut Flow, matrix: &TileMatrix<T>) -> Result<()> {
        match self {
            Self::Random(random) if random.entries == Entries::Nothing => {}
            Self::Random(random) => random.submit(flow, matrix),
            Self::File(file, triangle) => {
                for TileIndex { row, column } in tiles(matrix, *triangle) {
                    let first = (row * matrix.mb(), column * matrix.nb());
                    let shape = (matrix.tile_rows(row), matrix.tile_columns(column));
                    let block = padded(file, first, shape, |i, j| self.holds(i, j))?;
                    flow.overwrite::<T>(matrix.tile(row, column), &block)?;
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with row, column and value of each entry of the `m x n` matrix that exists.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn visit<T: Scalar>(
        &self,
        (m, n): (usize, usize),
        mut visit: impl FnMut(usize, usize, T),
    ) -> Result<()> {
        for first in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - first);
            let block = match self {
                Self::Random(_) => Vec::new(),
                Self::File(file, _) => padded(file, (0, first), (m, columns), |_, _| false)?,
            };
            for (j, i) in (first..first + columns).flat_map(|j| (0..m).map(move |i| (j, i))) {
                if self.holds(i, j) {
                    visit(
                        i,
                        j,
                        match self {
                            Self::Random(random) => random.entry(i, j),
                            Self::File(..) => block[i + (j - first) * m],
                        },
                    );
                }
            }
        }
        Ok(())
    }
}

/// The block of `rows x columns` entries of `file` from entry `(i, j)` on, with zeros below its last
/// row.
fn padded<T: Scalar>(
    file: &NpyMatrix,
    (i, j): (usize, usize),
    (rows, columns): (usize, usize),
    counts: impl Fn(usize, usize) -> bool,
) -> Result<Vec<T>> {
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
