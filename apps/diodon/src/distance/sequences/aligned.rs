//! Counts of the sites at which two aligned sequences are the same, differ by a transition, or by a
//! transversion.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::{DistanceError, Sequences, base};
use crate::distance::pairs::{Pairs, Prepared, Worker};

/// What two aligned sequences have in common: only sites are compared at which both have one of A,
/// C, G, T, in this pair ("pairwise deletion").
#[derive(Clone, Copy, Debug)]
pub(super) struct Sites {
    /// Sites that are compared.
    pub(super) compared: u32,
    /// Those with A and G, or with C and T.
    pub(super) transitions: u32,
    /// Those with other pairs of different bases.
    pub(super) transversions: u32,
}

/// A distance that follows from these counts.
pub(super) trait SiteRule: Debug + Send + Sync + 'static {
    /// Why it may be no number.
    const UNDEFINED: &'static str;

    /// The distance; NaN or infinite if there is none.
    fn distance(sites: Sites) -> f64;
}

/// Aligned sequences as planes of bits, 64 sites to a word: whether the base is known, whether it
/// is a pyrimidine (C, T), and whether it is the second of its kind (G, T).
#[derive(Debug)]
pub(super) struct Aligned<R> {
    words: usize,
    planes: Vec<[u64; 3]>,
    rule: std::marker::PhantomData<R>,
}

impl<R: SiteRule> Aligned<R> {
    /// Lays out sequences of one length.
    ///
    /// # Errors
    /// If one is longer or shorter than the first.
    pub(super) fn prepare(sequences: &Sequences) -> Prepared {
        let length = if sequences.names().is_empty() { 0 } else { sequences.length(0) };
        let words = length.div_ceil(64);
        let mut planes = Vec::with_capacity(words * sequences.names().len());
        for (name, letters) in sequences.iter() {
            if letters.len() != length {
                return Err(DistanceError::Sequences(format!(
                    "sequence {name} has {} letters, the first one, {}, has {length}: sequences have to be aligned for \
                     this distance",
                    letters.len(),
                    sequences.names()[0]
                )));
            }
            planes.extend(letters.chunks(64).map(word));
        }
        Ok(Arc::new(Self { words, planes, rule: std::marker::PhantomData }))
    }

    fn of(&self, sequence: usize) -> &[[u64; 3]] {
        &self.planes[sequence * self.words..][..self.words]
    }

    #[inline(always)]
    fn compare(&self, row: usize, column: usize) -> Sites {
        let mut sites = Sites { compared: 0, transitions: 0, transversions: 0 };
        for (x, y) in self.of(row).iter().zip(self.of(column)) {
            let known = x[0] & y[0];
            let transversions = (x[1] ^ y[1]) & known;
            let transitions = (x[2] ^ y[2]) & known & !transversions;
            sites.compared += known.count_ones();
            sites.transversions += transversions.count_ones();
            sites.transitions += transitions.count_ones();
        }
        sites
    }
}

/// The planes of up to 64 letters.
fn word(letters: &[u8]) -> [u64; 3] {
    let mut planes = [0; 3];
    for (site, &letter) in letters.iter().enumerate() {
        let Some(base) = base(letter) else { continue };
        planes[0] |= 1 << site;
        // A, C, G, T are 0, 1, 2, 3.
        planes[1] |= u64::from(base & 1) << site;
        planes[2] |= u64::from(base >> 1) << site;
    }
    planes
}

impl<R: SiteRule> Pairs for Aligned<R> {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(AlignedWorker(self))
    }

    fn undefined(&self) -> &'static str {
        R::UNDEFINED
    }
}

struct AlignedWorker<R>(Arc<Aligned<R>>);

impl<R: SiteRule> Worker for AlignedWorker<R> {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        Arch::new().dispatch(Rectangle { aligned: &self.0, rows, columns, out });
    }
}

/// Distances to be computed where bits are counted in one operation, if the processor has it.
struct Rectangle<'a, R> {
    aligned: &'a Aligned<R>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &'a mut [f64],
}

impl<R: SiteRule> WithSimd for Rectangle<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (row, line) in self.rows.zip(self.out.chunks_exact_mut(self.columns.len())) {
            for (column, distance) in self.columns.clone().zip(line) {
                *distance = R::distance(self.aligned.compare(row, column));
            }
        }
    }
}
