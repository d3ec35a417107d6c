//! New items placed among embedded ones, from their distances to these alone.
//!
//! Gower, "Adding a point to vector diagrams in multivariate analysis", Biometrika 55 (1968). Let
//! items of weights `v` (all one where there are none) have the coordinates `X` on the axes,
//! `X' V X = L` and `X' v = 0`, and the squared distances `r` from their centre. A point at
//! distances `d` from them has the coordinates `y = -1/2 L^-1 X' V (d^2 - r)`, and its squared
//! distance from the centre is `w' (d^2 - r)` with `w = v / sum v`. What that exceeds `|y|^2` by is
//! its squared distance from the space of the axes. Distances that are not Euclidean may make
//! either negative.
//!
//! Where a correction changed the distances of the items, it changes those of new ones: Cailliez's
//! constant is added to each, that of Lingoes twice to each square. A correction is for different
//! items, so that a new item at distance 0 from an embedded one does not come to lie on it.
//!
//! Squares, products and sums come with one pass over the distances, which are read tile by tile.

mod columns;
mod folder;
mod plan;

use std::sync::Arc;

use tegula_files::source::Source;
use tegula_kernels::kernel::sweep::lines::Lines;
use tegula_kernels::kernel::sweep::{Entry, Findings};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::{Order, TileMatrix};

pub use folder::FolderError;
pub use plan::{Plan, ProblemSize, plan};

use crate::EmbedError;
use crate::stream::{
    Edges, Overlap, Stream, TileDistribution, Tiling, register_lines, total_bytes,
};
use crate::verdict::{self, places};

/// Embedded items, as far as new ones need to know them.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// Names of the `n` items.
    pub ids: Vec<String>,
    /// `X`, `n x k` by columns.
    pub coordinates: Vec<f64>,
    /// `L`: eigenvalues of the axes, all positive.
    pub eigenvalues: Vec<f64>,
    /// `r`: squared distance of each item from the centre, in the space of all axes.
    pub norms2: Vec<f64>,
    /// `v`, unless all are one.
    pub weights: Option<Vec<f64>>,
    /// What Cailliez's correction added to each distance.
    pub offset: f64,
    /// Half of what Lingoes's correction added to each squared distance.
    pub constant: f64,
}

/// How distances are read.
#[derive(Clone, Copy, Debug)]
pub struct ProjectionOptions {
    /// Rows and columns of a tile.
    pub edge: usize,
    /// Bytes of tiles that are held.
    pub memory: u64,
    /// What overlaps.
    pub overlap: Overlap,
}

/// New items on the axes of others.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Coordinates of the `m` items, `m x k` by columns.
    pub coordinates: Vec<f64>,
    /// Squared distance of each from the centre of the embedded items, in the space of all axes.
    pub norms2: Vec<f64>,
    /// Squared distance of each from the space of the axes: Gower's residual.
    pub residuals2: Vec<f64>,
    /// What was noticed about the distances.
    pub findings: Findings,
    /// Tiles that were read.
    pub tiles: usize,
    /// Tiles that were held at a time.
    pub held: usize,
    /// Bytes that were read.
    pub bytes_read: u64,
}

impl Embedding {
    /// Number of items, `n`.
    #[must_use]
    pub fn items(&self) -> usize {
        self.ids.len()
    }

    /// Number of axes, `k`.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Weight of an item, `v_i`.
    fn weight(&self, item: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[item])
    }

    /// Trace of the Gram matrix of the embedded items: the sum of their squared norms, weighted.
    #[must_use]
    pub fn trace(&self) -> f64 {
        self.norms2.iter().enumerate().map(|(item, norm2)| self.weight(item) * norm2).sum()
    }

    /// `w`.
    fn shares(&self) -> Vec<f64> {
        let total: f64 = (0..self.items()).map(|item| self.weight(item)).sum();
        (0..self.items()).map(|item| self.weight(item) / total).collect()
    }

    /// `-1/2 V X L^-1`, `n x k` by columns.
    fn factor(&self) -> Vec<f64> {
        let n = self.items();
        let entry =
            |(at, x): (usize, &f64)| -0.5 * self.weight(at % n) * x / self.eigenvalues[at / n];
        self.coordinates.iter().enumerate().map(entry).collect()
    }
}

/// Places new items by their `distances`, `m x n`, with products in the precision `T`. Waits.
///
/// # Errors
/// If a tile cannot be read, or entries are no distances.
///
/// # Panics
/// If there are not as many columns as embedded items, or no axes.
pub fn project<T: Real>(
    flow: &mut Flow,
    distances: &Arc<dyn Source>,
    embedding: &Embedding,
    options: ProjectionOptions,
) -> Result<Projection, EmbedError> {
    let ([m, n], k) = (distances.shape(), embedding.axes());
    assert!(n == embedding.items(), "{n} columns and {} items", embedding.items());
    assert!(k > 0 && embedding.coordinates.len() == n * k, "coordinates on {k} axes");
    let ProjectionOptions { edge, memory, overlap } = options;
    let (tiling, entry) = (Tiling::of(&**distances, edge, false), Entry::Squared(embedding.offset));
    let mut stream = Stream::new(
        flow,
        distances,
        (tiling, memory),
        entry,
        (&TileDistribution::equal(flow.ranks()), overlap),
    );
    let shares = embedding.shares();
    let lines = [
        register_lines(flow, &tiling.bands[0], &vec![1.0; m]),
        register_lines(flow, &tiling.bands[1], &shares),
    ];
    let [y, x] = tiling
        .bands
        .map(|edges: Edges| TileMatrix::<f64>::panel(flow, (edges.length(), k), edges.widest()));
    let factor = embedding.factor();
    x.scatter(flow, &factor, Order::ColumnMajor { ld: n })?;
    flow.phase("products");
    let both = Some([&lines[0][..], &lines[1][..]]);
    stream.multiply::<T>(flow, (Some((&x, &y)), None), both)?;
    let mut coordinates = vec![0.0; m * k];
    y.gather(flow, &mut coordinates, Order::ColumnMajor { ld: m.max(1) })?;
    let (sums, findings) = read_sums(flow, &lines[0])?;
    lines.into_iter().flatten().for_each(|handle| flow.unregister(handle));
    [x, y].into_iter().for_each(|panel| panel.unregister(flow));
    let (tiles, held) = (stream.tiles(), stream.held());
    let bytes_read = total_bytes(flow, stream.reading().bytes());
    stream.close(flow);
    refuse(&findings, &**distances, embedding)?;
    for (column, factor) in coordinates.chunks_exact_mut(m.max(1)).zip(factor.chunks_exact(n)) {
        let shift: f64 = factor.iter().zip(&embedding.norms2).map(|(b, r)| b * r).sum();
        column.iter_mut().for_each(|y| *y -= shift);
    }
    let centre: f64 = shares.iter().zip(&embedding.norms2).map(|(w, r)| w * r).sum();
    let norms2: Vec<f64> = sums.iter().map(|sum| sum - centre + 2.0 * embedding.constant).collect();
    let squares =
        |item: usize| (0..k).map(|axis| coordinates[axis * m + item].powi(2)).sum::<f64>();
    let residuals2: Vec<f64> =
        norms2.iter().enumerate().map(|(item, norm2)| norm2 - squares(item)).collect();
    if !residuals2.iter().all(|residual| residual.is_finite()) {
        return Err(EmbedError::NotFinite);
    }
    Ok(Projection { coordinates, norms2, residuals2, findings, tiles, held, bytes_read })
}

/// Waits, and takes the weighted sums along rows, and what was noticed.
fn read_sums(flow: &mut Flow, lines: &[Handle]) -> Result<(Vec<f64>, Findings), EmbedError> {
    let (mut sums, mut findings) = (Vec::new(), Findings::NONE);
    for &handle in lines {
        let mut band = flow.read::<f64>(handle)?.to_vec();
        let band = Lines::of(&mut band);
        sums.extend_from_slice(band.sums);
        findings.add(band.findings);
    }
    Ok((sums, findings))
}

/// Refuses entries that are no distances, by name.
fn refuse(
    findings: &Findings,
    distances: &dyn Source,
    embedding: &Embedding,
) -> Result<(), EmbedError> {
    let Findings { infinite, negative, .. } = findings;
    let (offenders, reason) = if infinite.count > 0 {
        (infinite, "infinite or no numbers; leave such items out, or fill the gaps")
    } else if negative.count > 0
        && negative.largest > verdict::limit(findings, distances.element(), None)
    {
        (negative, "negative, which distances are not; take roots of squares, or another measure")
    } else {
        return Ok(());
    };
    let names = [distances.row_names(), Some(&embedding.ids[..])];
    Err(EmbedError::Entries(format!(
        "{}: {} entries ({}) are {reason}",
        distances.name(),
        offenders.count,
        places(offenders, names, false)
    )))
}
