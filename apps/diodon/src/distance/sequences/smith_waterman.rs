//! Diodon's distance: the letters that two sequences do not match in their best local alignment.

use std::ops::Range;
use std::sync::Arc;

use super::lanes::{FOREIGN, Lane, Lanes, OTHER};
use super::{DistanceError, GAP, Sequences, base};
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::{Pairs, Prepared, Worker};

/// Local alignments.
pub(in crate::distance) const SMITH_WATERMAN: Metric = Metric {
    name: "smith-waterman",
    summary: "half of what the shorter sequence lacks of the score of a whole match, in half integers",
    formula: "(shorter length - score) / 2, score of the best local alignment: match 1, mismatch -1, gap -1 per letter",
    citation: "Smith and Waterman (1981), Journal of Molecular Biology 147:195; \
         the distances that come with Diodon (doi 10.15454/XSJ079)",
    has_triangle_inequality: false,
    of: Of::Sequences(prepare),
};

/// The letters of each sequence as numbers: 0 to 3, or `FOREIGN` for what is none of A, C, G, T and
/// matches nothing. Gaps are left out.
#[derive(Debug)]
struct Reads {
    letters: Vec<u8>,
    ends: Vec<usize>,
}

fn prepare(sequences: &Sequences) -> Prepared {
    let mut reads = Reads { letters: Vec::new(), ends: Vec::new() };
    for (name, letters) in sequences.iter() {
        let start = reads.letters.len();
        let letters = letters.iter().filter(|&&letter| letter != GAP);
        reads.letters.extend(letters.map(|&letter| base(letter).unwrap_or(FOREIGN)));
        reads.ends.push(reads.letters.len());
        if u32::try_from(reads.letters.len() - start).is_err() {
            let text = format!("sequence {name} is too long to be aligned");
            return Err(DistanceError::Sequences(text));
        }
    }
    Ok(Arc::new(reads))
}

impl Reads {
    fn of(&self, sequence: usize) -> &[u8] {
        let start = if sequence == 0 { 0 } else { self.ends[sequence - 1] };
        &self.letters[start..self.ends[sequence]]
    }

    fn longest(&self, range: Range<usize>) -> usize {
        range.map(|sequence| self.of(sequence).len()).max().unwrap_or(0)
    }
}

impl Pairs for Reads {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        let query = Vec::new();
        let (short, usual, long) = (Lanes::new(), Lanes::new(), Lanes::new());
        Box::new(AlignWorker { reads: self, query, short, usual, long })
    }
}

/// Aligns in one thread, with lanes as wide as the scores ask for: 32 bytes of them.
struct AlignWorker {
    reads: Arc<Reads>,
    query: Vec<u8>,
    short: Lanes<u8, 32>,
    usual: Lanes<u16, 16>,
    long: Lanes<u32, 8>,
}

impl Worker for AlignWorker {
    fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let Self { reads, query, short, usual, long } = self;
        // A score is at most the length of the shorter sequence.
        let most = reads.longest(rows.clone()).min(reads.longest(columns.clone()));
        if most + 2 <= usize::from(u8::MAX) {
            fill(reads, short, query, rows, columns, out);
        } else if most + 2 <= usize::from(u16::MAX) {
            fill(reads, usual, query, rows, columns, out);
        } else {
            fill(reads, long, query, rows, columns, out);
        }
    }
}

fn fill<T: Lane, const N: usize>(
    reads: &Reads,
    lanes: &mut Lanes<T, N>,
    query: &mut Vec<u8>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &mut [f64],
) {
    let width = columns.len();
    for start in columns.clone().step_by(N) {
        let group = start..(start + N).min(columns.end);
        lanes.load(group.clone().map(|column| reads.of(column)));
        for (row, line) in rows.clone().zip(out.chunks_exact_mut(width)) {
            query.clear();
            query.extend(reads.of(row).iter().map(|&x| if x == FOREIGN { OTHER } else { x }));
            for (column, score) in group.clone().zip(lanes.scores(query)) {
                let shorter = query.len().min(reads.of(column).len()) as u32;
                line[column - columns.start] = f64::from(shorter - score.get()) / 2.0;
            }
        }
    }
}
