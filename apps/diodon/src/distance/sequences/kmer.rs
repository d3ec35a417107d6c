//! How many of the words of two sequences are not shared.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::{DistanceError, GAP, Sequences, base};
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::{Pairs, Worker};

/// Words of sequences that need no alignment.
pub(in crate::distance) const KMER: Metric = Metric {
    name: "kmer",
    summary: "share of the words of K letters that is not common; kmer alone is kmer:6",
    formula: "1 - sum_w min(count of w in x, count of w in y) / min(words of x, words of y)",
    citation: "Edgar (2004), Nucleic Acids Research 32:380: F, with L - K + 1 words in L letters",
    has_triangle_inequality: false,
    of: Of::Words(prepare),
};

/// The longest words: every thread counts all that there are of a length.
pub(in crate::distance) const LONGEST_WORD: usize = 12;
/// The length that Edgar takes.
pub(in crate::distance) const USUAL_WORD: usize = 6;

/// Words of at most this length are compared with all their counts in a row, longer ones by a list.
const LONGEST_ROW: usize = 6;
/// The largest count for which rows pay: bytes are added this many at a time before they are summed up.
const LARGEST_ROW_COUNT: u32 = 31;
/// Counts that are compared at once.
const LINE: usize = 32;
/// Columns that are compared with a row at once.
const GROUP: usize = 4;

/// The words of each sequence, in ascending order, with their counts.
///
/// A word that holds a gap does not exist: gaps are left out first. One that holds anything but A, C, G, T is not
/// counted, neither among the words of its sequence.
#[derive(Debug)]
struct Words {
    length: usize,
    words: Vec<(u32, u32)>,
    /// Where each sequence ends among the words.
    ends: Vec<usize>,
    /// Words of each sequence, counted as often as they stand there.
    totals: Vec<u32>,
    largest: u32,
}

fn prepare(sequences: &Sequences, length: usize) -> Result<Arc<dyn Pairs>, DistanceError> {
    let mut all =
        Words { length, words: Vec::new(), ends: Vec::new(), totals: Vec::new(), largest: 0 };
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
            all.largest = all.largest.max(same.len() as u32);
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

    /// The counts of the sequences in `range`, each in `lines` lines.
    fn lay_out(&self, range: Range<usize>, lines: usize, counts: &mut Vec<[u8; LINE]>) {
        counts.clear();
        counts.resize(range.len() * lines, [0; LINE]);
        for (sequence, counts) in range.zip(counts.chunks_exact_mut(lines)) {
            let counts = counts.as_flattened_mut();
            self.of(sequence).iter().for_each(|&(word, count)| counts[word as usize] = count as u8);
        }
    }
}

impl Pairs for Words {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        if self.length <= LONGEST_ROW && self.largest <= LARGEST_ROW_COUNT {
            Box::new(RowWorker { words: self, rows: Vec::new(), columns: Vec::new() })
        } else {
            let table = vec![0; self.count()];
            Box::new(ListWorker { words: self, table })
        }
    }
}

/// Compares sequences whose words are few, count by count.
struct RowWorker {
    words: Arc<Words>,
    rows: Vec<[u8; LINE]>,
    columns: Vec<[u8; LINE]>,
}

impl Worker for RowWorker {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let lines = self.words.count().div_ceil(LINE);
        let width = columns.len();
        self.words.lay_out(rows.clone(), lines, &mut self.rows);
        for start in columns.clone().step_by(GROUP) {
            let group = start..(start + GROUP).min(columns.end);
            self.words.lay_out(group.clone(), lines, &mut self.columns);
            // Columns that are missing share nothing.
            self.columns.resize(GROUP * lines, [0; LINE]);
            for (place, (row, counts)) in
                rows.clone().zip(self.rows.chunks_exact(lines)).enumerate()
            {
                let flush = (u32::from(u8::MAX) / self.words.largest) as usize;
                let shared =
                    Arch::new().dispatch(Shared { row: counts, columns: &self.columns, flush });
                for (column, shared) in group.clone().zip(shared) {
                    out[place * width + column - columns.start] =
                        self.words.distance(row, column, shared);
                }
            }
        }
    }
}

/// Sums of the smaller counts of a row and of each of some columns.
struct Shared<'a> {
    row: &'a [[u8; LINE]],
    columns: &'a [[u8; LINE]],
    /// Lines after which bytes could overflow.
    flush: usize,
}

impl WithSimd for Shared<'_> {
    type Output = [u32; GROUP];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [u32; GROUP] {
        let lines = self.row.len();
        let columns: [&[[u8; LINE]]; GROUP] =
            std::array::from_fn(|column| &self.columns[column * lines..][..lines]);
        let mut shared = [0; GROUP];
        for start in (0..lines).step_by(self.flush) {
            let part = start..(start + self.flush).min(lines);
            let row = &self.row[part.clone()];
            let columns = columns.map(|column| &column[part.clone()][..row.len()]);
            let sums = sums(row, columns);
            for (shared, sums) in shared.iter_mut().zip(sums) {
                *shared += sums.iter().map(|&sum| u32::from(sum)).sum::<u32>();
            }
        }
        shared
    }
}

/// The sums byte by byte, which must not overflow.
#[inline(always)]
fn sums(row: &[[u8; LINE]], columns: [&[[u8; LINE]]; GROUP]) -> [[u8; LINE]; GROUP] {
    let mut sums = [[0u8; LINE]; GROUP];
    for (line, x) in row.iter().enumerate() {
        for (sums, column) in sums.iter_mut().zip(columns) {
            for ((sum, x), y) in sums.iter_mut().zip(x).zip(&column[line]) {
                *sum = sum.wrapping_add(*x.min(y));
            }
        }
    }
    sums
}

/// Compares sequences by a table of all words with the counts of one of them.
struct ListWorker {
    words: Arc<Words>,
    table: Vec<u32>,
}

impl Worker for ListWorker {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let Self { words, table } = self;
        for (row, line) in rows.zip(out.chunks_exact_mut(columns.len())) {
            words.of(row).iter().for_each(|&(word, count)| table[word as usize] = count);
            for (column, distance) in columns.clone().zip(line) {
                let common = words.of(column).iter();
                let shared = common.map(|&(word, count)| count.min(table[word as usize])).sum();
                *distance = words.distance(row, column, shared);
            }
            words.of(row).iter().for_each(|&(word, _)| table[word as usize] = 0);
        }
    }
}
