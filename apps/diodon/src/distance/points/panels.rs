//! Sums over coordinates, for all pairs of some points at once: points lie in panels of eight,
//! coordinate by coordinate, so that a vector of the processor takes several of them.
//!
//! Every sum runs over the coordinates in their order, whatever the block, so an entry is the same
//! in any; and since it is of differences, it is as accurate for near points as for far ones.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use crate::distance::pairs::{Pairs, Worker};

/// Points of a panel.
const WIDTH: usize = 8;
/// Rows that are compared with a panel at once: four times eight sums fit the registers.
const ROWS: usize = 4;
/// Bytes of panels that are used again and again before others are: half of a usual first cache.
const NEAR_BYTES: usize = 1 << 14;

/// A distance that follows from a sum over the coordinates.
pub(super) trait Rule: Debug + Send + Sync + 'static {
    /// `sum` and what the coordinates `x` and `y` contribute; with one rounding of a product and a
    /// sum if `FUSED`. Exchanging `x` and `y` changes nothing.
    fn add<const FUSED: bool>(sum: f64, x: f64, y: f64) -> f64;

    /// Turns the sums of point `row` and the points `columns` into distances, in place.
    fn finish(&self, row: usize, columns: Range<usize>, sums: &mut [f64]);
}

/// Points, and how their distance follows from sums.
#[derive(Debug)]
pub(super) struct PanelPairs<R> {
    rule: R,
    dimensions: usize,
    /// Panel by panel, each coordinate of its eight points; points that are missing from the last
    /// are zeros.
    panels: Vec<[f64; WIDTH]>,
}

impl<R: Rule> PanelPairs<R> {
    /// Lays out points whose coordinates are given point by point.
    pub(super) fn new(rule: R, dimensions: usize, coordinates: &[f64]) -> Arc<Self> {
        let points = coordinates.len() / dimensions;
        let mut panels = vec![[0.0; WIDTH]; points.div_ceil(WIDTH) * dimensions];
        for (point, row) in coordinates.chunks_exact(dimensions).enumerate() {
            let panel = &mut panels[point / WIDTH * dimensions..][..dimensions];
            panel.iter_mut().zip(row).for_each(|(line, &x)| line[point % WIDTH] = x);
        }
        Arc::new(Self { rule, dimensions, panels })
    }

    /// Panel number `panel`.
    fn panel(&self, panel: usize) -> &[[f64; WIDTH]] {
        &self.panels[panel * self.dimensions..][..self.dimensions]
    }

    /// Copies the points `rows` in fours, coordinate by coordinate.
    fn gather(&self, rows: Range<usize>, packed: &mut Vec<[f64; ROWS]>) {
        packed.clear();
        packed.resize(rows.len().div_ceil(ROWS) * self.dimensions, [0.0; ROWS]);
        for (place, row) in rows.enumerate() {
            let group = &mut packed[place / ROWS * self.dimensions..][..self.dimensions];
            for (to, from) in group.iter_mut().zip(self.panel(row / WIDTH)) {
                to[place % ROWS] = from[row % WIDTH];
            }
        }
    }
}

impl<R: Rule> Pairs for PanelPairs<R> {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(PanelWorker { pairs: self, packed: Vec::new() })
    }
}

/// Compares points in one thread.
struct PanelWorker<R> {
    pairs: Arc<PanelPairs<R>>,
    packed: Vec<[f64; ROWS]>,
}

impl<R: Rule> Worker for PanelWorker<R> {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        self.pairs.gather(rows.clone(), &mut self.packed);
        let (pairs, packed) = (self.pairs.as_ref(), self.packed.as_slice());
        Arch::new().dispatch(Rectangle { pairs, packed, rows, columns, out });
    }
}

/// Distances to be computed, with all vectors that the processor has.
struct Rectangle<'a, R> {
    pairs: &'a PanelPairs<R>,
    packed: &'a [[f64; ROWS]],
    rows: Range<usize>,
    columns: Range<usize>,
    out: &'a mut [f64],
}

impl<R: Rule> WithSimd for Rectangle<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        // Without vectors a fused operation is a call of a function.
        if S::IS_SCALAR {
            self.fill::<false>();
        } else {
            self.fill::<true>();
        }
    }
}

impl<R: Rule> Rectangle<'_, R> {
    #[inline(always)]
    fn fill<const FUSED: bool>(&mut self) {
        let dimensions = self.pairs.dimensions;
        let near = (NEAR_BYTES / (dimensions * WIDTH * size_of::<f64>())).max(1);
        let (first, end) = (self.columns.start / WIDTH, self.columns.end.div_ceil(WIDTH));
        for start in (first..end).step_by(near) {
            for (group, packed) in self.packed.chunks_exact(dimensions).enumerate() {
                for panel in start..(start + near).min(end) {
                    let sums = sums::<R, FUSED>(packed, self.pairs.panel(panel));
                    self.store(group * ROWS, panel * WIDTH, &sums);
                }
            }
        }
        let width = self.columns.len();
        for (row, line) in self.rows.clone().zip(self.out.chunks_exact_mut(width)) {
            self.pairs.rule.finish(row, self.columns.clone(), line);
        }
    }

    /// Stores those of `sums` that are asked for: rows from `row`, counted from the first, and
    /// columns from `column`.
    #[inline(always)]
    fn store(&mut self, row: usize, column: usize, sums: &[[f64; WIDTH]; ROWS]) {
        let width = self.columns.len();
        let start = column.max(self.columns.start);
        let end = (column + WIDTH).min(self.columns.end);
        for (line, sums) in self.out.chunks_exact_mut(width).skip(row).zip(sums) {
            let to = &mut line[start - self.columns.start..end - self.columns.start];
            match to.first_chunk_mut::<WIDTH>() {
                Some(to) => *to = *sums,
                None => to.copy_from_slice(&sums[start - column..end - column]),
            }
        }
    }
}

/// The sums of four rows and the eight points of a panel.
#[inline(always)]
fn sums<R: Rule, const FUSED: bool>(
    rows: &[[f64; ROWS]],
    panel: &[[f64; WIDTH]],
) -> [[f64; WIDTH]; ROWS] {
    let mut sums = [[0.0; WIDTH]; ROWS];
    for (x, y) in rows.iter().zip(panel) {
        for (line, &x) in sums.iter_mut().zip(x) {
            for (sum, &y) in line.iter_mut().zip(y) {
                *sum = R::add::<FUSED>(*sum, x, y);
            }
        }
    }
    sums
}
