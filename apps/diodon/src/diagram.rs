//! The duality diagram `(X, Q, D)`: principal components of a table `X`, `m x n`, whose columns are
//! compared by a metric `Q` and whose rows by a metric `D`.
//!
//! Escoufier, "The duality diagram: a means for better practical applications", in Legendre,
//! Legendre, "Developments in Numerical Ecology" (Springer, 1987); Dray, Dufour, "The ade4 package:
//! implementing the duality diagram for ecologists", J. Stat. Softw. 22 (2007). With the Cholesky
//! factors `Q = K K'` and `D = L L'`, and the singular value decomposition
//!
//! ```text
//! P = L' X K = U S V'
//! ```
//!
//! eigenvalues are squares of `S`, principal axes `A = K'^-1 V` (`A' Q A = I`), coordinates of
//! items `X Q A = L'^-1 U S` (uncorrelated with respect to `D`, each of the squared `D`-norm of its
//! eigenvalue), coordinates of variables `A S = X' D B` with `B = L'^-1 U`. Inertia is
//! `trace(X Q X' D)`. With identity metrics these are plain principal components; with masses of
//! rows and reciprocals of those of columns, correspondence analysis of the table of row profiles.
//!
//! `P` is not formed. Weights are scales of the lines of the table; a full metric costs a
//! triangular product with the panel before or after a pass, and another pass for norms.

use std::sync::Arc;

use tegula_files::source::{Block, Source, pieces};
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::Real;
use tegula_linalg::lacpy;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

use crate::EmbedError;
use crate::metric::{Metric, Root};
use crate::pca::{Measured, Pretreatment};
use crate::singular::operator::{add_columns2, row_norms2};
use crate::singular::{Operator, Rows, Triples, Whole};
use crate::stream::Edges;
use crate::table::{COLUMNS, ENTRIES, ROWS, Table, TableOptions};

/// A table between two metrics.
#[derive(Debug)]
pub struct Diagram {
    table: Table,
    /// `D` and `Q`.
    metrics: [Metric; 2],
    /// `L` and `K`, of full metrics; weights are in the scales of the table.
    roots: [Option<Root>; 2],
}

impl Diagram {
    /// The diagram of what `pretreatment` makes of `source`, with means and norms in the metrics
    /// `[D, Q]`. Waits for the factors of full metrics.
    ///
    /// # Errors
    /// If a metric is not positive definite, or cannot be read.
    ///
    /// # Panics
    /// If a metric does not have the order of its lines.
    pub fn new(
        flow: &mut Flow,
        source: &Arc<dyn Source>,
        (pretreatment, metrics): (Pretreatment, [Metric; 2]),
        options: TableOptions,
    ) -> Result<Self, EmbedError> {
        let shape = source.shape();
        let mut roots = [None, None];
        for side in [ROWS, COLUMNS] {
            let order = metrics[side].order().unwrap_or(shape[side]);
            assert!(order == shape[side], "a metric of order {order} of {} lines", shape[side]);
            let edge = Edges::new(shape[side], options.edge).widest();
            roots[side] = metrics[side].root(flow, edge)?;
        }
        let root = roots[ROWS].clone();
        let treatment = Measured { pretreatment, metrics: metrics.clone(), root };
        let table = Table::new(flow, source, Box::new(treatment), options);
        Ok(Self { table, metrics, roots })
    }

    /// A table that is compared line by line.
    #[must_use]
    pub fn plain(table: Table) -> Self {
        Self { table, metrics: Default::default(), roots: [None, None] }
    }

    /// The metrics `[D, Q]`.
    #[must_use]
    pub fn metrics(&self) -> &[Metric; 2] {
        &self.metrics
    }

    /// Computes the sums along lines, if there was no pass. Waits.
    pub(crate) fn settle(&mut self, flow: &mut Flow) -> Result<(), EmbedError> {
        self.table.gather_alone(flow)
    }

    /// Turns triples of `P` into components: coordinates of the items for `P V`, principal axes for
    /// `V`, squared distances of the items from the centre, in the metric `Q`, for squared norms of
    /// rows, and squared norms of the variables, in the metric `D`, for those of columns where
    /// these are not mixed. Waits.
    ///
    /// # Errors
    /// If a task fails.
    pub fn components(&self, flow: &mut Flow, mut triples: Triples) -> Result<Triples, EmbedError> {
        self.unweigh(flow, ROWS, &mut triples.left)?;
        self.unweigh(flow, COLUMNS, &mut triples.right)?;
        let both = [&mut triples.norms2, &mut triples.columns2];
        for (norms2, metric) in both.into_iter().zip(&self.metrics) {
            if let Metric::Diagonal(weights) = metric {
                norms2.iter_mut().zip(&**weights).for_each(|(norm2, weight)| *norm2 /= weight);
            }
        }
        Ok(triples)
    }

    /// Computes `L' X`, or `K' X`, for `X` by columns with a row for each line of `side`. Waits.
    pub(crate) fn weigh(
        &self,
        flow: &mut Flow,
        side: usize,
        x: &mut [f64],
    ) -> Result<(), FlowError> {
        if let Some(roots) = self.metrics[side].weight_roots() {
            x.iter_mut().zip(roots.iter().cycle()).for_each(|(x, root)| *x *= root);
        }
        let order = Order::ColumnMajor { ld: self.table.shape()[side] };
        self.roots[side]
            .as_ref()
            .map_or(Ok(()), |root| root.multiply_numbers(flow, Trans::Yes, (x, order)))
    }

    /// Computes `L'^-1 X`, or `K'^-1 X`: the inverse of [`weigh`](Self::weigh). Waits.
    pub(crate) fn unweigh(
        &self,
        flow: &mut Flow,
        side: usize,
        x: &mut [f64],
    ) -> Result<(), FlowError> {
        if let Some(roots) = self.metrics[side].weight_roots() {
            x.iter_mut().zip(roots.iter().cycle()).for_each(|(x, root)| *x /= root);
        }
        self.unmix(flow, side, x)
    }

    /// The same for a full metric alone. Waits.
    pub(crate) fn unmix(
        &self,
        flow: &mut Flow,
        side: usize,
        x: &mut [f64],
    ) -> Result<(), FlowError> {
        self.roots[side].as_ref().map_or(Ok(()), |root| root.solve_transposed(flow, x))
    }

    /// `P X`, or `P' X` with lines of the side `from` as rows of `X`: through the root of one side,
    /// the table, and the root of the other. Waits.
    fn product<T: Real>(
        &mut self,
        flow: &mut Flow,
        x: &TileMatrix<f64>,
        from: usize,
    ) -> Result<TileMatrix<f64>, FlowError> {
        let mut mixed = None;
        if let Some(root) = &self.roots[from] {
            let copy = TileMatrix::panel(flow, (x.m(), x.n()), x.mb());
            lacpy(flow, Part::Whole, x, &copy);
            root.multiply(flow, Trans::No, &copy)?;
            mixed = Some(copy);
        }
        let x = mixed.as_ref().unwrap_or(x);
        let y = if from == COLUMNS {
            self.table.right_product::<T>(flow, x)?
        } else {
            self.table.left_product::<T>(flow, x)?
        };
        if let Some(copy) = mixed {
            copy.unregister(flow);
        }
        if let Some(root) = &self.roots[1 - from] {
            root.multiply(flow, Trans::Yes, &y)?;
        }
        Ok(y)
    }

    /// Makes entries of `P` of those of the table, which are given row by row, with all lines of
    /// sides that are mixed; returns squared norms of their rows before those are mixed.
    fn mix(
        roots: &[Option<Root>; 2],
        flow: &mut Flow,
        (entries, rows, columns): (&mut [f64], usize, usize),
    ) -> Result<Vec<f64>, FlowError> {
        if let Some(root) = &roots[COLUMNS] {
            // Rows of X K are columns of K'X'.
            let order = Order::ColumnMajor { ld: columns };
            root.multiply_numbers(flow, Trans::Yes, (&mut *entries, order))?;
        }
        let norms2 = row_norms2(entries, rows);
        if let Some(root) = &roots[ROWS] {
            root.multiply_numbers(flow, Trans::Yes, (entries, Order::RowMajor { ld: columns }))?;
        }
        Ok(norms2)
    }

    /// Squared norms of the rows of `X K` and of the columns of `P`: a pass in blocks with all
    /// lines of sides that are mixed.
    fn norms2(&mut self, flow: &mut Flow) -> Result<[Vec<f64>; 2], EmbedError> {
        let Self { table, roots, .. } = self;
        let [m, n] = table.shape();
        let (height, width) = match (&roots[ROWS], &roots[COLUMNS]) {
            (None, _) => ((ENTRIES / n).max(1), n),
            (Some(_), None) => (m, (ENTRIES / m).max(1)),
            (Some(_), Some(_)) => (m, n),
        };
        let across = |rows: std::ops::Range<usize>| {
            pieces(n, width).map(move |columns| Block { rows: rows.clone(), columns })
        };
        let (mut norms2, mut columns2) = (vec![0.0; m], vec![0.0; n]);
        table.parts(pieces(m, height).flat_map(across), |block, mut part| {
            let sizes = (block.rows.len(), block.columns.len());
            let found = Self::mix(roots, flow, (&mut part, sizes.0, sizes.1))?;
            norms2[block.rows.clone()].iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
            add_columns2(&part, &mut columns2[block.columns.clone()]);
            Ok(())
        })?;
        Ok([norms2, columns2])
    }

    /// Gives everything back, after everything submitted has run. Returns the bytes that were read.
    pub fn close(self, flow: &mut Flow) -> u64 {
        self.roots.into_iter().flatten().for_each(|root| root.close(flow));
        self.table.close(flow)
    }
}

impl Operator for Diagram {
    fn table(&self) -> &Table {
        &self.table
    }

    fn first<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        let y = self.table.first_product::<T>(flow, w)?;
        if let Some(root) = &self.roots[ROWS] {
            root.multiply(flow, Trans::Yes, &y)?;
        }
        Ok(y)
    }

    fn right<T: Real>(
        &mut self,
        flow: &mut Flow,
        v: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.product::<T>(flow, v, COLUMNS)
    }

    fn left<T: Real>(
        &mut self,
        flow: &mut Flow,
        u: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.product::<T>(flow, u, ROWS)
    }

    fn rows(&mut self, flow: &mut Flow, v: &[f64]) -> Result<Rows, EmbedError> {
        if self.roots.iter().all(Option::is_none) {
            return self.table.rows(flow, v);
        }
        let ([m, n], mut products) = (self.table.shape(), Vec::new());
        let k = v.len() / n;
        if k > 0 {
            let panel = self.table.panel(flow, COLUMNS, k);
            panel.scatter(flow, v, Order::ColumnMajor { ld: n })?;
            let y = self.right::<f64>(flow, &panel)?;
            products = vec![0.0; m * k];
            y.gather(flow, &mut products, Order::ColumnMajor { ld: m })?;
            [panel, y].into_iter().for_each(|panel| panel.unregister(flow));
        }
        let [norms2, columns2] = self.norms2(flow)?;
        let inertia = columns2.iter().sum();
        Ok(Rows { products, norms2, columns2, inertia })
    }

    fn whole(&mut self, flow: &mut Flow) -> Result<Whole, EmbedError> {
        let Whole { mut entries, .. } = self.table.whole(flow)?;
        let [m, n] = self.table.shape();
        let norms2 = Self::mix(&self.roots, flow, (&mut entries, m, n))?;
        Ok(Whole { entries, norms2 })
    }
}
