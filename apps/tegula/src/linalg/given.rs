//! What a matrix holds at first: random entries, or those of a file.

use std::sync::Arc;

use anyhow::Result;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::TileMatrix;

use super::file::MatrixFile;
use super::fill::{Entries, RandomMatrix};
use super::inputs::Inputs;
use super::layout::Layout;
use super::load;
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
    File(Arc<MatrixFile>, Layout),
}

impl Given {
    /// What operand number `index` holds.
    pub(super) fn new(operand: &Operand, index: usize, sizes: &Sizes, inputs: &Inputs) -> Self {
        let layout = operand.layout(sizes);
        if let Some(matrix) = inputs.of(operand) {
            return Self::File(matrix, layout);
        }
        let (m, n) = operand.shape(sizes);
        let seeds = sizes.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self::Random(RandomMatrix {
            entries: operand.entries,
            order: m.max(n) as u32,
            layout,
            seed: seeds.wrapping_add((index as u64) << 48),
        })
    }

    /// What of it is stored.
    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::Random(matrix) => matrix.layout,
            Self::File(_, layout) => *layout,
        }
    }

    /// Submits the tasks that fill `matrix`.
    pub(super) fn fill<T: Scalar>(&self, flow: &mut Flow, matrix: &TileMatrix<T>) {
        match self {
            Self::Random(random) if random.entries == Entries::Nothing => {}
            Self::Random(random) => random.submit(flow, matrix),
            Self::File(file, layout) => load::submit(flow, (file, *layout), matrix),
        }
    }

    /// Calls `visit` with row, column and value of each entry that exists of the `m x n` that are stored.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn visit<T: Scalar>(
        &self,
        (m, n): (usize, usize),
        mut visit: impl FnMut(usize, usize, T),
    ) -> Result<()> {
        let width = match self {
            Self::Random(_) => COLUMNS,
            Self::File(file, _) => file.columns_at_once(COLUMNS),
        };
        for first in (0..n).step_by(width) {
            let columns = width.min(n - first);
            let block = match self {
                Self::Random(_) => Vec::new(),
                Self::File(file, _) => padded(file, (0, first), (m, columns), |_, _| false)
                    .map_err(anyhow::Error::from_boxed)?,
            };
            for (j, i) in (first..first + columns).flat_map(|j| (0..m).map(move |i| (j, i))) {
                if self.layout().holds(i, j) {
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
pub(super) fn padded<T: Scalar>(
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
