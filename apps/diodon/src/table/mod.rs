//! A table that is centred and scaled, as something to multiply with from either side: it is never
//! formed.
//!
//! `P = diag(a) (X - F H') diag(b)` with few columns in `F` and `H`, so that
//! `P V = a (X W - F (H' W))` with `W = b V`, and `P' U` likewise. `F`, `H`, `a` and `b` follow
//! from sums along the lines of `X`, which the first pass gathers beside a product: the first
//! product waits for none of them (as in section 6.2.1 of L. L. Nesi's thesis, 2023, for the Gram
//! matrix of distances). The squared norms of the rows of `P` come with the last product: `a_i^2
//! (sum_j b_j^2 x_ij^2 - 2 f_i' (X b^2 H)_i + f_i' (H' b^2 H) f_i)`.

mod form;
mod panel;

use std::sync::Arc;

use tegula_files::source::{Block, BlockReader, Source, SourceError, pieces};
use tegula_kernels::element::Element;
use tegula_kernels::kernel::sweep::Findings;
use tegula_kernels::kernel::sweep::lines::Lines;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Real;
use tegula_linalg::lacpy;
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::{Order, TileMatrix};

use crate::EmbedError;
use crate::basis::{inner, times};
use crate::singular::Rows;
use crate::stream::{
    Overlap, Sides, Stream, TILE_ENTRIES, TileDistribution, Tiling, register_lines, total_bytes,
};
pub use form::{Form, Margins, Treatment};
pub(crate) use form::{line_name, line_names};

/// Number of the side of rows, and of columns.
pub(crate) const ROWS: usize = 0;
pub(crate) const COLUMNS: usize = 1;

/// Entries that are read at a time where a table is read outside of the stream.
pub(crate) const ENTRIES: usize = 1 << 20;

/// How a table is read.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// Lines of a band.
    pub edge: usize,
    /// Bytes of tiles that are held.
    pub memory: u64,
    /// What overlaps.
    pub overlap: Overlap,
}

/// A table, ready to be multiplied with.
#[derive(Debug)]
pub struct Table {
    stream: Stream,
    treatment: Box<dyn Treatment>,
    overlap: Overlap,
    passes: usize,
    findings: Findings,
    settled: Option<Settled>,
}

/// What the first pass settles.
#[derive(Debug)]
struct Settled {
    form: Form,
    /// `a` and `b`, a buffer for each band.
    scales: [Option<Vec<Handle>>; 2],
    /// `F` and `H`, if they have columns.
    factors: Option<[TileMatrix<f64>; 2]>,
}

impl Table {
    /// Prepares products with what `treatment` makes of `source`.
    #[must_use]
    pub fn new(
        flow: &mut Flow,
        source: &Arc<dyn Source>,
        treatment: Box<dyn Treatment>,
        options: TableOptions,
    ) -> Self {
        let distribution = TileDistribution::equal(flow.ranks());
        Self::shared(flow, source, treatment, (options, TILE_ENTRIES), &distribution)
    }

    /// The same in tiles of at most so many entries, which ranks share as `distribution` says.
    pub(crate) fn shared(
        flow: &mut Flow,
        source: &Arc<dyn Source>,
        treatment: Box<dyn Treatment>,
        (options, entries): (TableOptions, usize),
        distribution: &TileDistribution,
    ) -> Self {
        let TableOptions { edge, memory, overlap } = options;
        let tiling = Tiling::new(source.shape(), edge, (source.grain()[0], entries), false);
        let how = (distribution, overlap);
        let stream = Stream::new(flow, source, (tiling, memory), treatment.entry(), how);
        let findings = Findings::NONE;
        Self { stream, treatment, overlap, passes: 0, findings, settled: None }
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.stream.tiling.bands.map(|edges| edges.length())
    }

    /// The table as it is read.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Number of passes over the table so far.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// What was noticed about the entries in the first pass.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What the table becomes.
    ///
    /// # Panics
    /// Before the first product.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.settled().form
    }

    fn settled(&self) -> &Settled {
        self.settled.as_ref().expect("there was a first pass")
    }

    /// A panel of `width` columns with a row for each line of a side.
    pub(crate) fn panel(&self, flow: &mut Flow, side: usize, width: usize) -> TileMatrix<f64> {
        let edges = &self.stream.tiling.bands[side];
        TileMatrix::panel(flow, (edges.length(), width), edges.widest())
    }

    /// `diag(a) (X - F H') W` in the first pass, which settles what `P` is. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read, or the entries are not what they should be.
    pub(crate) fn first_product<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        if !self.overlap.split_gram {
            let none = self.panel(flow, COLUMNS, 1);
            self.gather::<f64>(flow, &none)?.unregister(flow);
            none.unregister(flow);
            return Ok(self.sweep::<T>(flow, w, COLUMNS)?);
        }
        let y = self.gather::<T>(flow, w)?;
        self.correct(flow, w, &y, COLUMNS)?;
        flow.wait()?;
        Ok(y)
    }

    /// A pass for the sums alone, if there was none. Waits.
    ///
    /// # Errors
    /// As [`first_product`](Self::first_product).
    pub(crate) fn gather_alone(&mut self, flow: &mut Flow) -> Result<(), EmbedError> {
        if self.settled.is_some() {
            return Ok(());
        }
        let none = self.panel(flow, COLUMNS, 1);
        self.gather::<f64>(flow, &none)?.unregister(flow);
        none.unregister(flow);
        Ok(())
    }

    /// `X W` and the sums along lines, from which follows what `P` is.
    fn gather<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        flow.iteration(self.passes);
        flow.phase("products");
        let y = self.panel(flow, ROWS, w.n());
        let edges = self.stream.tiling.bands;
        let weights = self.treatment.weights();
        let lines = [ROWS, COLUMNS].map(|side| {
            let ones = || vec![1.0; edges[side].length()];
            let weights = weights[side].map_or_else(ones, <[f64]>::to_vec);
            register_lines(flow, &edges[side], &weights)
        });
        self.stream.multiply::<T>(flow, (Some((w, &y)), None), Some([&lines[0], &lines[1]]))?;
        self.passes += 1;
        let mut margins = Margins {
            sums: Default::default(),
            squares: Default::default(),
            findings: Findings::NONE,
        };
        for (side, handles) in lines.into_iter().enumerate() {
            for handle in handles {
                let mut band = flow.read::<f64>(handle)?.to_vec();
                let band = Lines::of(&mut band);
                margins.sums[side].extend_from_slice(band.sums);
                margins.squares[side].extend_from_slice(band.squares);
                margins.findings.add(band.findings);
                flow.unregister(handle);
            }
        }
        self.settle(flow, &margins)?;
        Ok(y)
    }

    /// Takes what `P` is from the sums along lines.
    fn settle(&mut self, flow: &mut Flow, margins: &Margins) -> Result<(), EmbedError> {
        let source = Arc::clone(self.stream.reading().source());
        let note = form::refuse(&margins.findings, &*source)?;
        let mut form = self.treatment.form(flow, margins, &*source)?;
        form.notes.extend(note);
        let edges = self.stream.tiling.bands;
        let mut buffers = |side: usize| {
            let (scales, edges) = (form.scales[side].as_ref()?, &edges[side]);
            let bands = (0..edges.count()).map(|band| &scales[edges.range(band)]);
            Some(bands.map(|band| flow.register_from(band)).collect())
        };
        let scales = [buffers(ROWS), buffers(COLUMNS)];
        let mut factors = None;
        if form.rank > 0 {
            let both = [ROWS, COLUMNS].map(|side| self.panel(flow, side, form.rank));
            for (panel, numbers) in both.iter().zip(&form.factors) {
                panel.scatter(flow, numbers, Order::ColumnMajor { ld: panel.m().max(1) })?;
            }
            factors = Some(both);
        }
        self.passes += form.passes;
        self.findings = margins.findings;
        self.settled = Some(Settled { form, scales, factors });
        Ok(())
    }

    /// `P V` for `V` with a row for each column. Waits.
    pub(crate) fn right_product<T: Real>(
        &mut self,
        flow: &mut Flow,
        v: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.product::<T>(flow, v, COLUMNS)
    }

    /// `P' U` for `U` with a row for each row. Waits.
    pub(crate) fn left_product<T: Real>(
        &mut self,
        flow: &mut Flow,
        u: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        self.product::<T>(flow, u, ROWS)
    }

    /// The product of `P` or its transpose with a panel whose rows are lines of the side `from`.
    fn product<T: Real>(
        &mut self,
        flow: &mut Flow,
        x: &TileMatrix<f64>,
        from: usize,
    ) -> Result<TileMatrix<f64>, FlowError> {
        let Some(scales) = &self.settled().scales[from] else {
            return self.sweep::<T>(flow, x, from);
        };
        let scaled = TileMatrix::panel(flow, (x.m(), x.n()), x.mb());
        lacpy(flow, Part::Whole, x, &scaled);
        panel::scale(flow, scales, &scaled);
        let y = self.sweep::<T>(flow, &scaled, from)?;
        scaled.unregister(flow);
        Ok(y)
    }

    /// The product with a panel that is scaled already: a pass. Waits.
    fn sweep<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
        from: usize,
    ) -> Result<TileMatrix<f64>, FlowError> {
        flow.iteration(self.passes);
        flow.phase("products");
        let y = self.panel(flow, 1 - from, w.n());
        let side: Sides<'_> = Some((w, &y));
        let sides = if from == COLUMNS { (side, None) } else { (None, side) };
        self.stream.multiply::<T>(flow, sides, None)?;
        self.passes += 1;
        self.correct(flow, w, &y, from)?;
        flow.wait()?;
        Ok(y)
    }

    /// Takes the correction of low rank off the product `y` with `w`, and scales it.
    fn correct(
        &self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
        y: &TileMatrix<f64>,
        from: usize,
    ) -> Result<(), FlowError> {
        flow.phase("centring");
        let Settled { scales, factors, .. } = self.settled();
        if let Some(factors) = factors {
            let along = inner(flow, &factors[from], w)?;
            times(flow, &factors[1 - from], &along, (-1.0, 1.0), y)?;
        }
        if let Some(scales) = &scales[1 - from] {
            panel::scale(flow, scales, y);
        }
        Ok(())
    }

    /// `P V` and the squared norms of the lines of `P`, for `V`, `n x k` by columns: a pass in
    /// double precision, in which the factors are multiplied from the other side. Waits.
    pub(crate) fn last_product(&mut self, flow: &mut Flow, v: &[f64]) -> Result<Rows, FlowError> {
        let shape @ [m, n] = self.shape();
        let (k, rank) = (v.len() / n.max(1), self.form().rank);
        let form = self.form().clone();
        let squared = [ROWS, COLUMNS].map(|side| form.squared_scales(side, shape[side]));
        let scaled = |side: usize| {
            let factors = form.factors[side].iter().enumerate();
            factors.map(|(at, x)| x * squared[side][at % shape[side]]).collect::<Vec<f64>>()
        };
        let mut w: Vec<f64> =
            v.iter().enumerate().map(|(at, x)| x * form.scale(COLUMNS, at % n)).collect();
        w.extend(scaled(COLUMNS));
        let width = (k + rank).max(1);
        w.resize(n * width, 0.0);
        let mut u = scaled(ROWS);
        // Panels of either side have the same width.
        u.resize(m * width, 0.0);
        let edges = self.stream.tiling.bands;
        let lines = [ROWS, COLUMNS].map(|side| register_lines(flow, &edges[side], &squared[side]));
        let [panel, z] = [(); 2].map(|()| self.panel(flow, COLUMNS, width));
        let [y, across] = [(); 2].map(|()| self.panel(flow, ROWS, width));
        panel.scatter(flow, &w, Order::ColumnMajor { ld: n.max(1) })?;
        across.scatter(flow, &u, Order::ColumnMajor { ld: m.max(1) })?;
        flow.iteration(self.passes);
        flow.phase("products");
        let both = Some([&lines[0][..], &lines[1][..]]);
        let left = (rank > 0).then_some((&across, &z));
        self.stream.multiply::<f64>(flow, (Some((&panel, &y)), left), both)?;
        self.passes += 1;
        let mut products = vec![0.0; m * width];
        y.gather(flow, &mut products, Order::ColumnMajor { ld: m.max(1) })?;
        let mut crossed = vec![0.0; n * width];
        z.gather(flow, &mut crossed, Order::ColumnMajor { ld: n.max(1) })?;
        let mut squares = [const { Vec::new() }; 2];
        for (squares, handles) in squares.iter_mut().zip(&lines) {
            for &handle in handles {
                let mut band = flow.read::<f64>(handle)?.to_vec();
                squares.extend_from_slice(Lines::of(&mut band).squares);
            }
        }
        lines.into_iter().flatten().for_each(|handle| flow.unregister(handle));
        [panel, y, across, z].into_iter().for_each(|panel| panel.unregister(flow));
        let norms2 = line_norms2(&form, shape, (ROWS, &products[m * k..], &squares[ROWS]));
        let columns2 = line_norms2(&form, shape, (COLUMNS, &crossed, &squares[COLUMNS]));
        products.truncate(m * k);
        for (axis, column) in products.chunks_exact_mut(m.max(1)).enumerate() {
            let w = &w[axis * n..(axis + 1) * n];
            let along: Vec<f64> = (0..rank)
                .map(|r| (0..n).map(|j| w[j] * form.factor(COLUMNS, (j, r), n)).sum())
                .collect();
            for (i, y) in column.iter_mut().enumerate() {
                let low: f64 = (0..rank).map(|r| form.factor(ROWS, (i, r), m) * along[r]).sum();
                *y = form.scale(ROWS, i) * (*y - low);
            }
        }
        let inertia = norms2.iter().sum();
        Ok(Rows { products, norms2, columns2, inertia })
    }

    /// `P` itself, row by row, after a first pass: one more.
    ///
    /// # Errors
    /// If a block cannot be read.
    pub(crate) fn form_whole(&mut self) -> Result<Vec<f64>, EmbedError> {
        let [m, n] = self.shape();
        let mut p = Vec::with_capacity(m * n);
        let bands = pieces(m, (ENTRIES / n.max(1)).max(1));
        let blocks = bands.map(|rows| Block { rows, columns: 0..n });
        self.parts(blocks, |_, part| {
            p.extend(part);
            Ok(())
        })?;
        Ok(p)
    }

    /// Gives `each` the entries of `P`, row by row, in each of the `blocks`, after a first pass:
    /// one more.
    ///
    /// # Errors
    /// If a block cannot be read, and those of `each`.
    pub(crate) fn parts(
        &mut self,
        blocks: impl Iterator<Item = Block>,
        mut each: impl FnMut(&Block, Vec<f64>) -> Result<(), EmbedError>,
    ) -> Result<(), EmbedError> {
        let ([m, n], form) = (self.shape(), &self.settled().form);
        let source = Arc::clone(self.stream.reading().source());
        let mut reader = source.reader()?;
        for block in blocks {
            let mut part = read_block(&mut *reader, source.element(), &block)?;
            let width = block.columns.len().max(1);
            for (i, line) in block.rows.clone().zip(part.chunks_exact_mut(width)) {
                for (j, x) in block.columns.clone().zip(line) {
                    let of = |r| form.factor(ROWS, (i, r), m) * form.factor(COLUMNS, (j, r), n);
                    let low: f64 = (0..form.rank).map(of).sum();
                    *x = form.scale(ROWS, i) * (*x - low) * form.scale(COLUMNS, j);
                }
            }
            each(&block, part)?;
        }
        self.passes += 1;
        Ok(())
    }

    /// Gives everything back, after everything submitted has run. Returns the bytes that were read,
    /// over ranks those of all.
    pub fn close(self, flow: &mut Flow) -> u64 {
        let bytes = total_bytes(flow, self.stream.reading().bytes());
        if let Some(Settled { scales, factors, .. }) = self.settled {
            scales.into_iter().flatten().flatten().for_each(|handle| flow.unregister(handle));
            factors.into_iter().flatten().for_each(|panel| panel.unregister(flow));
        }
        self.stream.close(flow);
        bytes
    }
}

/// The entries of a block in double precision, row by row.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn read_block(
    reader: &mut dyn BlockReader,
    element: Element,
    block: &Block,
) -> Result<Vec<f64>, SourceError> {
    let mut stored = vec![0; block.entries() * element.bytes()];
    reader.read(block, &mut stored)?;
    let mut entries = vec![0.0; block.entries()];
    element.widen(&stored, &mut entries);
    Ok(entries)
}

/// Squared norms of the lines of a `side` of `P`: of rows from `X b^2 H` (`m x r` by columns) and
/// `sum_j b_j^2 x_ij^2`, of columns from `X' a^2 F` and `sum_i a_i^2 x_ij^2`.
fn line_norms2(
    form: &Form,
    shape: [usize; 2],
    (side, crossed, squares): (usize, &[f64], &[f64]),
) -> Vec<f64> {
    let (rank, other) = (form.rank, 1 - side);
    let (lines, others) = (shape[side], shape[other]);
    let scaled =
        |line: usize, r: usize| form.scale(other, line) * form.factor(other, (line, r), others);
    let gram: Vec<f64> = (0..rank * rank)
        .map(|at| (0..others).map(|j| scaled(j, at / rank) * scaled(j, at % rank)).sum())
        .collect();
    let norm2 = |i: usize| {
        let f = |r: usize| form.factor(side, (i, r), lines);
        let cross: f64 = (0..rank).map(|r| f(r) * crossed[i + r * lines]).sum();
        let low: f64 = (0..rank * rank).map(|at| f(at / rank) * f(at % rank) * gram[at]).sum();
        form.scale(side, i).powi(2) * (squares[i] - 2.0 * cross + low).max(0.0)
    };
    (0..lines).map(norm2).collect()
}
