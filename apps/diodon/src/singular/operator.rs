//! What singular triples are sought of: a matrix `P` that can be multiplied with from either side.

use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use crate::EmbedError;
use crate::table::Table;

/// A matrix `P`, `m x n`, that need not be formed: a table that is centred and scaled, and what is
/// done to it from the left and from the right.
pub trait Operator {
    /// The table that is read; `P` has its shape.
    fn table(&self) -> &Table;

    /// A product of `P` with a panel that `W`, `n x w`, stands for, where there was no pass so far:
    /// it spans what a random panel spans, and no more is asked of it. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read, or the entries are not what they should be.
    fn first<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError>;

    /// `P V`. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read.
    fn right<T: Real>(
        &mut self,
        flow: &mut Flow,
        v: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError>;

    /// `P' U`. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read.
    fn left<T: Real>(
        &mut self,
        flow: &mut Flow,
        u: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError>;

    /// `P V` for `V`, `n x k` by columns, and norms, in double precision, after the first pass.
    /// Waits.
    ///
    /// # Errors
    /// If a tile cannot be read.
    fn rows(&mut self, flow: &mut Flow, v: &[f64]) -> Result<Rows, EmbedError>;

    /// `P` itself, whether there was a pass or not. Waits.
    ///
    /// # Errors
    /// As [`first`](Self::first).
    fn whole(&mut self, flow: &mut Flow) -> Result<Whole, EmbedError>;
}

/// The last product with a matrix, and its norms.
#[derive(Clone, Debug)]
pub struct Rows {
    /// `P V`, `m x k` by columns.
    pub products: Vec<f64>,
    /// Squared norm of each row of `P`, before it is multiplied from the left with what mixes rows.
    pub norms2: Vec<f64>,
    /// Squared norm of each column of `P`.
    pub columns2: Vec<f64>,
    /// Squared Frobenius norm of `P`.
    pub inertia: f64,
}

/// A matrix that is formed.
#[derive(Clone, Debug)]
pub struct Whole {
    /// Its entries, row by row.
    pub entries: Vec<f64>,
    /// As of [`Rows`].
    pub norms2: Vec<f64>,
}

impl Whole {
    /// Squared norm of each of the `n` columns.
    #[must_use]
    pub fn columns2(&self, n: usize) -> Vec<f64> {
        let mut columns2 = vec![0.0; n];
        add_columns2(&self.entries, &mut columns2);
        columns2
    }
}

impl Operator for Table {
    fn table(&self) -> &Table {
        self
    }

    fn first<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        self.first_product::<T>(flow, w)
    }

    fn right<T: Real>(
        &mut self,
        flow: &mut Flow,
        v: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.right_product::<T>(flow, v)
    }

    fn left<T: Real>(
        &mut self,
        flow: &mut Flow,
        u: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.left_product::<T>(flow, u)
    }

    fn rows(&mut self, flow: &mut Flow, v: &[f64]) -> Result<Rows, EmbedError> {
        Ok(self.last_product(flow, v)?)
    }

    fn whole(&mut self, flow: &mut Flow) -> Result<Whole, EmbedError> {
        self.gather_alone(flow)?;
        let entries = self.form_whole()?;
        let norms2 = row_norms2(&entries, self.shape()[0]);
        Ok(Whole { entries, norms2 })
    }
}

/// Squared norms of the `m` rows of `entries`, which are given row by row.
pub(crate) fn row_norms2(entries: &[f64], m: usize) -> Vec<f64> {
    let n = entries.len() / m.max(1);
    let norm2 = |i: usize| entries[i * n..(i + 1) * n].iter().map(|x| x * x).sum();
    (0..m).map(norm2).collect()
}

/// Adds the squares of `entries`, which are given row by row, to the sums of their columns.
pub(crate) fn add_columns2(entries: &[f64], sums: &mut [f64]) {
    for row in entries.chunks_exact(sums.len().max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
    }
}
