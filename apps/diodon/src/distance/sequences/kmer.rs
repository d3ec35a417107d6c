//! How many of the words of two sequences are not shared.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::lanes::Lane;
use super::{DistanceError, GAP, Sequences, base};
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::{Pairs, Prepared, Worker};

/// Words of sequences that need no alignment.
pub(in crate::distance) const KMER: Metric = Metric {
    name: "kmer",
    summary: "share of the words of K letters that is not common; kmer alone is kmer:6",
    formula: "1 - sum_w min(count of w in x, count of w in y) / min(words of x, words of y)",
    citation: "Edgar (2004), Nucleic Acids Research 32:380: F, with L - K + 1 words in L letters",
    has_triangle_inequality: false,
    of: Of::Words(prepare),
};

/// The longest words: every thread has a table of all that there are of a length, here of 64 MiB.
pub(in crate::distance) const LONGEST_WORD: usize = 12;
/// The length that Edgar takes.
pub(in crate::distance) const USUAL_WORD: usize = 6;

/// Rows that a column is compared with at once: a vector takes several.
const ROWS: usize = 32;

/// The words of each sequence, in ascending order, with their counts.
///
/// A word that holds a gap does not exist: gaps are left out first. One that holds anything but A,
/// C, G, T is not counted, neither among the words of its sequence.
#[derive(Debug)]
struct Words {
    length: usize,
    words: Vec<(u32, u32)>,
    /// Where each sequence ends among the words.
    ends: Vec<usize>,
    /// Words of each sequence, counted as often as they stand there.
    totals: Vec<u32>,
}

fn prepare(sequences: &Sequences, length: usize) -> Prepared {
    let mut all = Words { length, words: Vec::new(), ends: Vec::new(), totals: Vec::new() };
    let mut found = Vec::new();
    for (name, letters) in sequences.iter() {
        list(letters, length, &mut found);
        if found.is_empty() {
            return Err(DistanceError::Sequences(format!(
                "sequence {name} has no word of {length} letters of A, C, G, T: it has {} letters; leave it out, or \
                 take shorter words",
                letters.len()
            )));
        }
        all.totals.push(found.len() as u32);
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            all.words.push((same[0], same.len() as u32));
        }
        all.ends.push(all.words.len());
    }
    Ok(Arc::new(all))
}

/// Sets `found` to the words of `length` in `letters`, each as a number of two bits for a letter.
fn list(letters: &[u8], length: usize, found: &mut Vec<u32>) {
    let mask = u32::MAX >> (32 - 2 * length);
    let (mut word, mut known) = (0, 0);
    found.clear();
    for &letter in letters.iter().filter(|&&letter| letter != GAP) {
        match base(letter) {
            Some(base) => {
                word = (word << 2 | u32::from(base)) & mask;
                known += 1;
            }
            None => known = 0,
        }
        if known >= length {
            found.push(word);
        }
    }
}

impl Words {
    fn of(&self, sequence: usize) -> &[(u32, u32)] {
        let start = if sequence == 0 { 0 } else { self.ends[sequence - 1] };
        &self.words[start..self.ends[sequence]]
    }

    /// Number of all words that there are.
    fn count(&self) -> usize {
        1 << (2 * self.length)
    }

    fn distance(&self, row: usize, column: usize, shared: u32) -> f64 {
        let least = self.totals[row].min(self.totals[column]);
        f64::from(least - shared) / f64::from(least)
    }
}

impl Pairs for Words {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        let lines = vec![0; self.count()];
        // Sums of counts are at most the words of a sequence.
        if self.totals.iter().all(|&total| total <= u32::from(u16::MAX)) {
            Box::new(WordWorker::<u16> { words: self, lines, counts: Vec::new() })
        } else {
            Box::new(WordWorker::<u32> { words: self, lines, counts: Vec::new() })
        }
    }
}

/// Compares sequences in one thread: looks each word of a column up once for all rows.
struct WordWorker<T> {
    words: Arc<Words>,
    /// For each word that there may be its place among the counts; 0 if it is in no row.
    lines: Vec<u32>,
    /// How often a word is in each of the rows; no word has the first of them.
    counts: Vec<[T; ROWS]>,
}

impl<T: Lane> Worker for WordWorker<T> {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let lines = out.chunks_mut(ROWS * columns.len());
        for (start, out) in rows.clone().step_by(ROWS).zip(lines) {
            let rows = start..(start + ROWS).min(rows.end);
            self.lay_out(rows.clone());
            let Self { words, lines, counts } = &*self;
            for (place, column) in columns.clone().enumerate() {
                let words_of = words.of(column);
                let shared = Arch::new().dispatch(Shared { words: words_of, lines, counts });
                for (row, (shared, line)) in
                    rows.clone().zip(shared.into_iter().zip(out.chunks_exact_mut(columns.len())))
                {
                    line[place] = words.distance(row, column, shared.get());
                }
            }
            self.clear(rows);
        }
    }
}

impl<T: Lane> WordWorker<T> {
    /// Lays out the counts of at most [`ROWS`] sequences.
    fn lay_out(&mut self, rows: Range<usize>) {
        let Self { words, lines, counts } = self;
        counts.clear();
        counts.push([T::ZERO; ROWS]);
        for (lane, row) in rows.enumerate() {
            for &(word, count) in words.of(row) {
                let line = &mut lines[word as usize];
                if *line == 0 {
                    *line = counts.len() as u32;
                    counts.push([T::ZERO; ROWS]);
                }
                counts[*line as usize][lane] = T::of(count);
            }
        }
    }

    /// Forgets the places of the words of `rows`.
    fn clear(&mut self, rows: Range<usize>) {
        for row in rows {
            self.words.of(row).iter().for_each(|&(word, _)| self.lines[word as usize] = 0);
        }
    }
}

/// Sums of the smaller counts of a column and of each row.
struct Shared<'a, T> {
    words: &'a [(u32, u32)],
    lines: &'a [u32],
    counts: &'a [[T; ROWS]],
}

impl<T: Lane> WithSimd for Shared<'_, T> {
    type Output = [T; ROWS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [T; ROWS] {
        let mut sums = [T::ZERO; ROWS];
        for &(word, count) in self.words {
            let counts = &self.counts[self.lines[word as usize] as usize];
            let count = T::of(count);
            for lane in 0..ROWS {
                sums[lane] = sums[lane].plus(counts[lane].min(count));
            }
        }
        sums
    }
}
