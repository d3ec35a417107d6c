//! The share of what is present in two points that is present in one of them only.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::Points;
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::{Pairs, Prepared, Worker};

/// Dissimilarity of presences.
pub(in crate::distance) const JACCARD: Metric = Metric {
    name: "jaccard",
    summary: "share of what is present, a number that is not 0, that is not common",
    formula: "1 - |X and Y| / |X or Y|, X = {k: x_k != 0}; 0 if both are empty",
    citation: "Jaccard (1912), New Phytologist 11:37; scipy.spatial.distance.jaccard of booleans",
    has_triangle_inequality: true,
    of: Of::Points(prepare),
};

/// Presences as bits, 64 columns to a word.
#[derive(Debug)]
struct Presences {
    words: usize,
    bits: Vec<u64>,
    /// Columns in which a point is present.
    counts: Vec<u32>,
}

impl Presences {
    fn of(&self, point: usize) -> &[u64] {
        &self.bits[point * self.words..][..self.words]
    }

    #[inline(always)]
    fn fill(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        for (row, line) in rows.zip(out.chunks_exact_mut(columns.len())) {
            for (column, distance) in columns.clone().zip(line) {
                let both = self.of(row).iter().zip(self.of(column));
                let both: u32 = both.map(|(a, b)| (a & b).count_ones()).sum();
                let any = self.counts[row] + self.counts[column] - both;
                *distance = if any == 0 { 0.0 } else { f64::from(any - both) / f64::from(any) };
            }
        }
    }
}

fn prepare(points: Points) -> Prepared {
    let words = points.dimensions().div_ceil(64);
    let mut bits = Vec::with_capacity(words * points.names.len());
    for row in points.rows() {
        let word =
            |part: &[f64]| part.iter().rev().fold(0, |word, &x| word << 1 | u64::from(x != 0.0));
        bits.extend(row.chunks(64).map(word));
    }
    let count = |bits: &[u64]| bits.iter().map(|word| word.count_ones()).sum();
    let counts = bits.chunks_exact(words).map(count).collect();
    Ok(Arc::new(Presences { words, bits, counts }))
}

impl Pairs for Presences {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(PresenceWorker(self))
    }
}

struct PresenceWorker(Arc<Presences>);

impl Worker for PresenceWorker {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        Arch::new().dispatch(Rectangle { presences: &self.0, rows, columns, out });
    }
}

/// Distances to be computed where bits are counted in one operation, if the processor has it.
struct Rectangle<'a> {
    presences: &'a Presences,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &'a mut [f64],
}

impl WithSimd for Rectangle<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.presences.fill(self.rows, self.columns, self.out);
    }
}
