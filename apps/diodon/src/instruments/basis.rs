//! An orthonormal basis of what instruments span.

use tegula_kernels::dense::{Matrix, product};
use tegula_kernels::tile::TileRef;
use tegula_runtime::flow::Flow;
use tegula_tiles::{Order, TileMatrix};

use super::Instruments;
use crate::EmbedError;
use crate::diagram::Diagram;
use crate::pca::mean;
use crate::singular::Operator;
use crate::table::ROWS;

/// Part of an instrument, relative to it, below which it counts as a sum of those before it: that
/// of R's `lm`.
const DEPENDENT: f64 = 1e-7;
/// Deviation from the mean, relative to the largest value, below which an instrument counts as
/// constant.
const CONSTANT: f64 = 1e-13;

/// `W`, `m x r`, with orthonormal columns, and the centred instruments `L' B` in terms of it.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    /// `W`, by columns.
    columns: Vec<f64>,
    /// `W' L' B`, `r x q`; of the columns that are kept, upper triangular.
    inside: Matrix<f64>,
    /// Norms of the columns of `L' B`.
    lengths: Vec<f64>,
    kept: Vec<usize>,
    dropped: Vec<usize>,
    m: usize,
}

impl Basis {
    /// Centres the instruments and makes a basis of them, by Gram-Schmidt in their order, each
    /// twice.
    ///
    /// # Errors
    /// If none varies.
    ///
    /// # Panics
    /// If there are not as many values of each as rows.
    pub(super) fn of(
        flow: &mut Flow,
        diagram: &Diagram,
        instruments: &Instruments,
    ) -> Result<Self, EmbedError> {
        let (m, q) = (diagram.table().shape()[ROWS], instruments.ids.len());
        let mut values = instruments.values.clone();
        assert!(values.len() == m * q, "{} values of {q} instruments, {m} rows", values.len());
        for column in values.chunks_exact_mut(m) {
            centre(column, mean(&diagram.metrics()[ROWS], column));
        }
        diagram.weigh(flow, ROWS, &mut values)?;
        let lengths: Vec<f64> = values.chunks_exact(m).map(norm).collect();
        let (mut columns, mut kept, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        for (j, column) in values.chunks_exact(m).enumerate() {
            let mut rest = column.to_vec();
            for _ in 0..2 {
                for w in columns.chunks_exact(m) {
                    let along = dot(w, &rest);
                    rest.iter_mut().zip(w).for_each(|(x, w)| *x -= along * w);
                }
            }
            let length = norm(&rest);
            if length > DEPENDENT * lengths[j] {
                columns.extend(rest.iter().map(|x| x / length));
                kept.push(j);
            } else {
                dropped.push(j);
            }
        }
        if kept.is_empty() {
            return Err(EmbedError::Entries(
                "no instrument varies: there is nothing to explain the table by".to_owned(),
            ));
        }
        let line = |x: usize, of: &[f64]| dot(&columns[x * m..(x + 1) * m], of);
        let inside = Matrix::from_fn(kept.len(), q, |k, j| line(k, &values[j * m..(j + 1) * m]));
        Ok(Self { columns, inside, lengths, kept, dropped, m })
    }

    /// `r`, its number of columns.
    pub(super) fn rank(&self) -> usize {
        self.kept.len()
    }

    /// `W`, by columns.
    pub(super) fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// Instruments that add nothing to those before them.
    pub(super) fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// `W` as a panel.
    pub(super) fn panel(
        &self,
        flow: &mut Flow,
        diagram: &Diagram,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        let panel = diagram.table().panel(flow, ROWS, self.rank());
        panel.scatter(flow, &self.columns, Order::ColumnMajor { ld: self.m })?;
        Ok(panel)
    }

    /// `Z = P' W`, `n x r` by columns: a pass, in double precision.
    pub(super) fn project(
        &self,
        flow: &mut Flow,
        diagram: &mut Diagram,
    ) -> Result<Vec<f64>, EmbedError> {
        let w = self.panel(flow, diagram)?;
        let product = diagram.left::<f64>(flow, &w)?;
        let n = product.m();
        let mut z = vec![0.0; n * self.rank()];
        product.gather(flow, &mut z, Order::ColumnMajor { ld: n })?;
        [w, product].into_iter().for_each(|panel| panel.unregister(flow));
        Ok(z)
    }

    /// `W C`, by columns.
    pub(super) fn times(&self, c: &Matrix<f64>) -> Vec<f64> {
        product(TileRef::new(&self.columns, self.m, self.rank()), c.view()).into_entries()
    }

    /// Instruments along the axes `W C`: correlations, and the coefficients `R^-1 C` of those that
    /// are kept, `L' B = W R`.
    pub(super) fn along(&self, c: &Matrix<f64>) -> (Vec<f64>, Vec<Option<f64>>) {
        let (q, k) = (self.lengths.len(), c.cols());
        let r = self.rank();
        let mut solved = c.clone();
        for axis in 0..k {
            for i in (0..r).rev() {
                let known: f64 =
                    (i + 1..r).map(|l| self.inside[(i, self.kept[l])] * solved[(l, axis)]).sum();
                solved[(i, axis)] = (solved[(i, axis)] - known) / self.inside[(i, self.kept[i])];
            }
        }
        let correlation = |at: usize| {
            let (j, axis) = (at % q, at / q);
            let both: f64 = (0..r).map(|l| self.inside[(l, j)] * c[(l, axis)]).sum();
            let lengths = self.lengths[j] * norm(c.col(axis));
            if lengths > 0.0 { both / lengths } else { 0.0 }
        };
        let coefficient = |at: usize| {
            let place = self.kept.iter().position(|&j| j == at % q)?;
            Some(solved[(place, at / q)])
        };
        let correlations = (0..q * k).map(correlation).collect();
        (correlations, (0..q * k).map(coefficient).collect())
    }
}

/// Subtracts the `mean`, and what remains of a constant column.
fn centre(column: &mut [f64], mean: f64) {
    let largest = column.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    column.iter_mut().for_each(|x| *x -= mean);
    if column.iter().all(|x| x.abs() <= CONSTANT * largest) {
        column.fill(0.0);
    }
}

/// The inner product.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
