//! The Gram matrix of a matrix of distances, as something to multiply with: it is never formed.
//!
//! With `a_ij = d_ij^2`, weights `v`, `w = v / sum v`, `S = diag(sqrt v)`, `m = A w` and
//! `g = w' m`, `G = -1/2 S (I - 1 w') A (I - w 1') S`, so that `G X = -1/2 S (A Z - m (1' Z) - 1
//! (m' Z) + g 1 (1' Z))` with `Z = S X`. For `v = 1` that is Gower's matrix and equations 6.3 to
//! 6.9 of L. L. Nesi's thesis (2023): products with squared distances need not wait for `m` and
//! `g`. With weights it is the matrix of `wcmdscale` in the R package vegan. The same sums give
//! trace and norm: `tr G = g sum v / 2` and `|G|_F^2 = (sum v)^2 / 4 (w' Q w - 2 w' m^2 + g^2)`
//! with `Q_ij = a_ij^2`.

mod panel;
mod state;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tegula_files::source::{Block, Coverage, Source};
use tegula_kernels::kernel::sweep::lines::Lines;
use tegula_kernels::kernel::sweep::{Entry, Findings};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::memory::Reduction;
use tegula_tiles::TileMatrix;

use crate::EmbedError;
#[cfg(doc)]
use crate::stream::TILE_ENTRIES;
use crate::stream::{
    Overlap, Parts, Stream, TileDistribution, Tiling, register_lines, total_bytes,
};
pub(crate) use panel::{Correct, Scale, Totals};

/// What a pass over all distances tells beside a product.
#[derive(Clone, Debug)]
pub struct Sums {
    /// `m`, the weighted mean of each row of squared distances.
    pub means: Vec<f64>,
    /// `g`, the weighted mean of these.
    pub mean: f64,
    /// Trace of `G`.
    pub trace: f64,
    /// Squared Frobenius norm of `G`.
    pub frobenius2: f64,
    /// What was noticed about the distances.
    pub findings: Findings,
}

impl Sums {
    /// From sums of squared distances along rows, and of their squares, both weighted by `w`, for
    /// weights `v`.
    fn new(means: Vec<f64>, squares: &[f64], weights: &[f64], findings: Findings) -> Self {
        let total: f64 = weights.iter().sum();
        let average = |values: &mut dyn Iterator<Item = f64>| {
            values.zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / total
        };
        let mean = average(&mut means.iter().copied());
        let fourth = average(&mut squares.iter().copied());
        let second = average(&mut means.iter().map(|m| m * m));
        let trace = mean * total / 2.0;
        let frobenius2 = total * total / 4.0 * (fourth - 2.0 * second + mean * mean);
        // Rounding may leave less than nothing; what is no number stays so.
        let frobenius2 = if frobenius2 < 0.0 { 0.0 } else { frobenius2 };
        Self { means, mean, trace, frobenius2, findings }
    }

    /// `G_ii / v_i`: the squared distance of each item from the centre.
    pub fn norms2(&self) -> impl Iterator<Item = f64> + '_ {
        self.means.iter().map(|m| m - self.mean / 2.0)
    }
}

/// A matrix of distances with weights of its items, ready to be multiplied with.
#[derive(Debug)]
pub struct Gram {
    stream: Stream,
    /// `v`, unless all are one.
    weights: Option<Vec<f64>>,
    /// A handle per band: the weights `w`, and what sums along its rows are added to.
    lines: Vec<Handle>,
    sums: Option<Sums>,
    overlap: Overlap,
    /// Tiles whose mirror images are compared with them in the first pass.
    samples: usize,
    compared: usize,
    /// Deviation that is rounding, as a share of the greatest entry, if not what follows from the
    /// numbers.
    tolerance: Option<f64>,
    passes: usize,
    /// Of these, how many another run has made.
    taken_over: usize,
    pass_time: Duration,
    offset: f64,
    /// Bytes that were read beside the stream.
    bytes_beside: u64,
}

/// How distances are read and centred.
#[derive(Clone, Debug)]
pub struct GramOptions {
    /// Weights of the items; all are one where there are none.
    pub weights: Option<Vec<f64>>,
    /// What is added to each distance off the diagonal (a correction of Cailliez).
    pub offset: f64,
    /// Lines of a band.
    pub edge: usize,
    /// Entries of a tile that is not square, at most ([`TILE_ENTRIES`]).
    pub entries: usize,
    /// Bytes of tiles that are held.
    pub memory: u64,
    /// Squares off the diagonal whose mirror images are read, too, once, to see whether they agree.
    pub samples: usize,
    /// What overlaps.
    pub overlap: Overlap,
    /// How ranks share the tiles; in turn, unless told otherwise.
    pub distribution: Option<TileDistribution>,
}

impl Gram {
    /// Prepares products with the Gram matrix of `source`.
    ///
    /// # Panics
    /// If the matrix is not square, or there are not as many weights as items.
    #[must_use]
    pub fn new(flow: &mut Flow, source: &Arc<dyn Source>, options: GramOptions) -> Self {
        let [n, columns] = source.shape();
        assert!(n == columns, "{n} x {columns} distances");
        let GramOptions { weights, offset, edge, entries, memory, samples, overlap, distribution } =
            options;
        assert!(
            weights.as_ref().is_none_or(|weights| weights.len() == n),
            "a weight for each item"
        );
        let tiling = Tiling::new([n, n], edge, (source.grain()[0], entries), true);
        let entry = Entry::Squared(offset);
        let distribution = distribution.unwrap_or_else(|| TileDistribution::equal(flow.ranks()));
        let stream = Stream::new(flow, source, (tiling, memory), entry, (&distribution, overlap));
        let total = weights.as_ref().map_or(n as f64, |weights| weights.iter().sum());
        let share = |v: &f64| v / total;
        let shares = weights
            .as_ref()
            .map_or_else(|| vec![1.0 / n as f64; n], |weights| weights.iter().map(share).collect());
        let lines = register_lines(flow, &stream.tiling.bands[0], &shares);
        let samples = if source.coverage() == Coverage::Triangle { 0 } else { samples };
        Self {
            stream,
            weights,
            lines,
            sums: None,
            overlap,
            samples,
            compared: 0,
            tolerance: None,
            passes: 0,
            pass_time: Duration::ZERO,
            taken_over: 0,
            offset,
            bytes_beside: 0,
        }
    }

    /// Number of items, `n`.
    #[must_use]
    pub fn n(&self) -> usize {
        self.stream.tiling.bands[0].length()
    }

    /// The matrix as it is read.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Takes deviations from symmetry, from zeros on the diagonal and from positive entries, up to
    /// this share of the greatest entry, for rounding.
    pub fn allow(&mut self, tolerance: Option<f64>) {
        self.tolerance = tolerance;
    }

    /// What is taken for rounding, if that was said.
    #[must_use]
    pub fn tolerance(&self) -> Option<f64> {
        self.tolerance
    }

    /// Pairs of entries that mirror each other, if both are stored.
    #[must_use]
    pub fn pairs(&self) -> Option<u64> {
        let is_full = self.stream.reading().source().coverage() == Coverage::Full;
        let n = self.n() as u64;
        is_full.then(|| n * n.saturating_sub(1) / 2)
    }

    /// In passes that follow, ranks share the tiles as `distribution` says. Panels stay where they
    /// are. Everything submitted has run.
    ///
    /// # Panics
    /// If tiles are dealt to other ranks than there are.
    pub fn distribute(&mut self, flow: &mut Flow, distribution: &TileDistribution) {
        self.stream.distribute(flow, distribution);
    }

    /// Does only some part of the passes that follow, to measure it: their products are wrong.
    pub fn keep_to(&mut self, parts: Parts) {
        self.stream.parts = parts;
    }

    /// Number of passes over the distances so far.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Number of these that a run has made with which this one goes on.
    #[must_use]
    pub fn taken_over(&self) -> usize {
        self.taken_over
    }

    /// How long the last product took on this rank.
    #[must_use]
    pub fn pass_time(&self) -> Duration {
        self.pass_time
    }

    /// Number of tiles that were compared with their mirror images.
    #[must_use]
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// A panel of `width` columns, cut as the matrix is.
    pub fn panel(&self, flow: &mut Flow, width: usize) -> TileMatrix<f64> {
        TileMatrix::panel(flow, (self.n(), width), self.stream.tiling.bands[0].widest())
    }

    /// Sums over all distances.
    ///
    /// # Panics
    /// Before the first product.
    #[must_use]
    pub fn sums(&self) -> &Sums {
        self.sums.as_ref().expect("there was a first pass")
    }

    /// Computes `Y = G X`: one pass over the distances, products in the precision `T`. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read, or a task fails.
    ///
    /// # Panics
    /// If the panels are not made by [`panel`](Self::panel).
    pub fn multiply<T: Real>(
        &mut self,
        flow: &mut Flow,
        x: &TileMatrix<f64>,
        y: &TileMatrix<f64>,
    ) -> Result<(), FlowError> {
        let start = Instant::now();
        if self.sums.is_none() && !self.overlap.split_gram {
            self.gather_sums::<T>(flow)?;
        }
        flow.iteration(self.passes);
        let z = self.scaled(flow, x);
        y.done_with(flow);
        let lines = self.lines.clone();
        let lines = self.sums.is_none().then_some([&lines[..], &lines[..]]);
        flow.phase("products");
        let factor = z.as_ref().unwrap_or(x);
        self.stream.multiply::<T>(flow, (Some((factor, y)), None), lines)?;
        if self.sums.is_none() {
            self.compared = self.stream.compare_mirrored(flow, &self.lines, self.samples);
            self.read_sums(flow)?;
        }
        self.passes += 1;
        flow.phase("centring");
        self.centre(flow, factor, y);
        if let Some(z) = z {
            z.retire(flow);
        }
        flow.wait()?;
        self.pass_time = start.elapsed();
        Ok(())
    }

    /// `Z = S X`, or nothing where the weights are one.
    fn scaled(&self, flow: &mut Flow, x: &TileMatrix<f64>) -> Option<TileMatrix<f64>> {
        let weights = self.weights.as_ref()?;
        let z = self.panel(flow, x.n());
        let total: f64 = weights.iter().sum();
        for i in 0..x.mt() {
            let scale = Scale { rows: x.tile_rows(i), columns: x.n(), total };
            scale.submit(flow, [self.lines[i], x.tile(i, 0), z.tile(i, 0)]);
        }
        Some(z)
    }

    /// Submits `Y = -1/2 S (Y - m (1' Z) - 1 (m' Z) + g 1 (1' Z))`.
    fn centre(&self, flow: &mut Flow, z: &TileMatrix<f64>, y: &TileMatrix<f64>) {
        let width = z.n();
        let totals = flow.register(2 * width * size_of::<f64>());
        flow.set_reduction(totals, Reduction::sum::<f64>());
        let adding = self.stream.adding(flow);
        for i in 0..z.mt() {
            let task = Totals { rows: z.tile_rows(i), columns: width };
            task.submit(flow, [self.lines[i], z.tile(i, 0), totals], adding);
        }
        let weights = self.weights.as_ref().map_or(0.0, |weights| weights.iter().sum());
        for i in 0..y.mt() {
            let (rows, mean) = (y.tile_rows(i), self.sums().mean);
            let task = Correct { rows, columns: width, mean, total: weights };
            task.submit(flow, [self.lines[i], totals, y.tile(i, 0)]);
        }
        flow.retire(totals);
    }

    /// A pass for the sums alone. Waits.
    ///
    /// # Errors
    /// If a tile cannot be read.
    pub(crate) fn gather_sums_alone(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        self.gather_sums::<f64>(flow)
    }

    /// The vector of norm one that belongs to the eigenvalue 0 whatever the distances are:
    /// `sqrt w`.
    pub(crate) fn ones(&self) -> Vec<f64> {
        let total: f64 =
            self.weights.as_ref().map_or(self.n() as f64, |weights| weights.iter().sum());
        let weight = |i| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        (0..self.n()).map(|i| (weight(i) / total).sqrt()).collect()
    }

    /// Fills the lower triangle of `g` with the Gram matrix, after a first pass: one more. The
    /// eigenvalue of [`ones`](Self::ones) is made `-below`.
    ///
    /// # Errors
    /// If a block cannot be read.
    pub(crate) fn form(
        &mut self,
        flow: &mut Flow,
        g: &TileMatrix<f64>,
        below: f64,
    ) -> Result<(), EmbedError> {
        let source = Arc::clone(self.stream.reading().source());
        let (mut reader, element) = (source.reader()?, source.element());
        let Sums { means, mean, .. } = self.sums();
        let scale = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i].sqrt());
        let total = self.weights.as_ref().map_or(self.n() as f64, |weights| weights.iter().sum());
        // Of what is centred, 2 below / total more is one time below less.
        let mean = mean + 2.0 * below / total;
        let mut bytes = 0;
        for index in g.indices() {
            // The mirror image of a tile at or below the diagonal is stored by rows as the tile is
            // by columns.
            let start = |band: usize| band * g.nb();
            let rows = start(index.row)..start(index.row) + g.tile_rows(index.row);
            let columns = start(index.column)..start(index.column) + g.tile_columns(index.column);
            let block = Block { rows: columns.clone(), columns: rows.clone() };
            let mut stored = vec![0; block.entries() * element.bytes()];
            bytes += reader.read(&block, &mut stored)?;
            let mut tile = vec![0.0; block.entries()];
            element.widen(&stored, &mut tile);
            for (j, column) in columns.zip(tile.chunks_exact_mut(rows.len())) {
                for (i, entry) in rows.clone().zip(column) {
                    // Below zero by rounding, as on the diagonal.
                    let distance = if *entry < 0.0 { 0.0 } else { *entry };
                    let distance = if i == j { 0.0 } else { distance + self.offset };
                    let centred = distance * distance - means[i] - means[j] + mean;
                    *entry = -0.5 * scale(i) * scale(j) * centred;
                }
            }
            flow.overwrite(g.tile(index.row, index.column), &tile)?;
        }
        self.bytes_beside += bytes;
        self.passes += 1;
        Ok(())
    }

    /// A pass for the sums alone.
    fn gather_sums<T: Real>(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        flow.phase("sums");
        let (none, other) = (self.panel(flow, 1), self.panel(flow, 1));
        let lines = self.lines.clone();
        self.stream.multiply::<T>(flow, (Some((&none, &other)), None), Some([&lines, &lines]))?;
        self.compared = self.stream.compare_mirrored(flow, &self.lines, self.samples);
        self.read_sums(flow)?;
        self.passes += 1;
        [none, other].into_iter().for_each(|panel| panel.unregister(flow));
        Ok(())
    }

    /// Waits, and takes the sums along rows; what stays with the lines are the means.
    fn read_sums(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (mut means, mut squares, mut findings) = (Vec::new(), Vec::new(), Findings::NONE);
        for &handle in &self.lines {
            let mut band = flow.read::<f64>(handle)?.to_vec();
            let band = Lines::of(&mut band);
            means.extend_from_slice(band.sums);
            squares.extend_from_slice(band.squares);
            findings.add(band.findings);
        }
        let ones = vec![1.0; if self.weights.is_some() { 0 } else { means.len() }];
        let weights = self.weights.as_deref().unwrap_or(&ones);
        self.sums = Some(Sums::new(means, &squares, weights, findings));
        Ok(())
    }

    /// Bytes that all ranks have read so far.
    fn bytes(&self, flow: &Flow) -> u64 {
        total_bytes(flow, self.stream.reading().bytes() + self.bytes_beside)
    }

    /// Gives everything back, after everything submitted has run, and returns the bytes that were
    /// read, over ranks those of all.
    pub fn close(self, flow: &mut Flow) -> u64 {
        let bytes = self.bytes(flow);
        self.lines.into_iter().for_each(|handle| flow.unregister(handle));
        self.stream.close(flow);
        bytes
    }
}
