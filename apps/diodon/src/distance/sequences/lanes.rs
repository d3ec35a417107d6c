//! Scores of the best local alignments of one sequence with many at once: each lane of a vector
//! aligns another pair.
//!
//! Libraries that were looked at do not fit: block-aligner is exact only if its blocks grow to the
//! whole matrix, and chooses its vectors when it is compiled; parasail and SSW are C; rust-bio
//! computes one cell at a time; zoe asks for a nightly compiler; hyalite calls itself under
//! construction. With one for a match and a gap of one per letter the recurrence is six operations
//! on a vector, and pairs side by side need none of the corrections between lanes that vectors
//! along one pair do (Rognes 2011, BMC Bioinformatics 12:221).

use pulp::{Arch, Simd, WithSimd};

/// Letters of the one sequence that are aligned on a way through the others.
const ROWS: usize = 4;

/// A letter that matches none; also where a sequence is over.
pub(super) const FOREIGN: u8 = 4;
/// The same in the one sequence: they do not match each other.
pub(super) const OTHER: u8 = 5;

/// The number of a lane.
pub(super) trait Lane: Copy + Ord + Send + 'static {
    const ZERO: Self;
    const ONE: Self;
    const TWO: Self;

    fn of(number: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn get(self) -> u32;
}

impl Lane for u8 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    const TWO: Self = 2;

    #[inline(always)]
    fn of(number: u32) -> Self {
        number as Self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    fn get(self) -> u32 {
        self.into()
    }
}

impl Lane for u16 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    const TWO: Self = 2;

    #[inline(always)]
    fn of(number: u32) -> Self {
        number as Self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    fn get(self) -> u32 {
        self.into()
    }
}

impl Lane for u32 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    const TWO: Self = 2;

    #[inline(always)]
    fn of(number: u32) -> Self {
        number
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    fn get(self) -> u32 {
        self
    }
}

/// `N` sequences side by side, and room for a line of scores.
pub(super) struct Lanes<T, const N: usize> {
    letters: Vec<[T; N]>,
    scores: Vec<[T; N]>,
}

impl<T: Lane, const N: usize> Lanes<T, N> {
    /// No sequences.
    pub(super) fn new() -> Self {
        Self { letters: Vec::new(), scores: Vec::new() }
    }

    /// Takes other sequences, at most `N`.
    pub(super) fn load<'a>(&mut self, sequences: impl Iterator<Item = &'a [u8]> + Clone) {
        let longest = sequences.clone().map(<[u8]>::len).max().unwrap_or(0);
        self.letters.clear();
        self.letters.resize(longest, [T::of(FOREIGN.into()); N]);
        for (lane, sequence) in sequences.enumerate() {
            for (line, &letter) in self.letters.iter_mut().zip(sequence) {
                line[lane] = T::of(letter.into());
            }
        }
    }

    /// The score of the best local alignment of `query` with each of the sequences: 1 for a match,
    /// -1 for a mismatch and for each letter in a gap. Letters are numbers, of which [`FOREIGN`]
    /// stands only in the sequences and [`OTHER`] only in `query`; no score may pass the largest
    /// number of a lane less two.
    pub(super) fn scores(&mut self, query: &[u8]) -> [T; N] {
        let Self { letters, scores } = self;
        Arch::new().dispatch(Align { query, letters, scores })
    }
}

struct Align<'a, T, const N: usize> {
    query: &'a [u8],
    letters: &'a [[T; N]],
    scores: &'a mut Vec<[T; N]>,
}

impl<T: Lane, const N: usize> WithSimd for Align<'_, T, N> {
    type Output = [T; N];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [T; N] {
        let Self { query, letters, scores } = self;
        scores.clear();
        scores.resize(letters.len(), [T::ZERO; N]);
        let mut best = [T::ZERO; N];
        for part in query.chunks(ROWS) {
            // Rows that are missing match nothing, and add nothing to the best score.
            let mut rows = [T::of(OTHER.into()); ROWS];
            rows.iter_mut().zip(part).for_each(|(row, &letter)| *row = T::of(letter.into()));
            align(rows, letters, scores, &mut best);
        }
        best
    }
}

/// Smith and Waterman's recurrence for some letters of the one sequence: `scores` are those of the
/// row before and become those of the last of `rows`.
///
/// `H(i,j) = max(0, H(i-1,j-1) +- 1, H(i-1,j) - 1, H(i,j-1) - 1)`, where `+- 1` is a 2 for a match
/// and then a loss of 1 for all three, which ends at 0.
#[inline(always)]
fn align<T: Lane, const N: usize>(
    rows: [T; ROWS],
    letters: &[[T; N]],
    scores: &mut [[T; N]],
    best: &mut [T; N],
) {
    let mut left = [[T::ZERO; N]; ROWS];
    let mut corner = [T::ZERO; N];
    let mut most = *best;
    for (letter, score) in letters.iter().zip(scores) {
        let mut diagonal = corner;
        corner = *score;
        let mut above = *score;
        for (row, left) in rows.iter().zip(&mut left) {
            let mut new = [T::ZERO; N];
            for lane in 0..N {
                let bonus = if letter[lane] == *row { T::TWO } else { T::ZERO };
                let side = diagonal[lane].plus(bonus).max(left[lane]);
                new[lane] = side.max(above[lane]).minus(T::ONE);
                most[lane] = most[lane].max(new[lane]);
            }
            diagonal = *left;
            *left = new;
            above = new;
        }
        *score = above;
    }
    *best = most;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FOREIGN, Lane, Lanes, OTHER};

    /// The recurrence cell by cell.
    fn reference(x: &[u8], y: &[u8]) -> u32 {
        let mut above = vec![0i32; y.len() + 1];
        let mut best = 0;
        for a in x {
            let mut row = vec![0; y.len() + 1];
            for (j, b) in y.iter().enumerate() {
                let matched = above[j] + if a == b { 1 } else { -1 };
                row[j + 1] = matched.max(above[j + 1] - 1).max(row[j] - 1).max(0);
                best = best.max(row[j + 1]);
            }
            above = row;
        }
        best as u32
    }

    fn check<T: Lane, const N: usize>(query: &[u8], others: &[Vec<u8>]) {
        let mut lanes = Lanes::<T, N>::new();
        // Lanes are used again, for more and for fewer and shorter sequences.
        for others in [&others[..1], others, &others[others.len() / 2..]] {
            let others = &others[..others.len().min(N)];
            lanes.load(others.iter().map(Vec::as_slice));
            let scores = lanes.scores(query);
            for (other, score) in others.iter().zip(scores) {
                assert_eq!(score.get(), reference(query, other), "{query:?} {other:?}");
            }
            let none = scores[others.len()..].iter().all(|score| score.get() == 0);
            assert!(none, "lanes without a sequence");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn scores_are_those_of_the_recurrence(
            query in prop::collection::vec(prop_oneof![0u8..4, Just(OTHER)], 0..90),
            others in prop::collection::vec(prop::collection::vec(prop_oneof![0u8..4, Just(FOREIGN)], 0..90), 1..40),
        ) {
            check::<u8, 32>(&query, &others);
            check::<u16, 16>(&query, &others);
            check::<u32, 8>(&query, &others);
        }

        #[test]
        fn scores_of_like_sequences_are_those_of_the_recurrence(
            query in prop::collection::vec(0u8..2, 150..253),
            changes in prop::collection::vec((0usize..150, 0u8..3), 1..12),
        ) {
            let mut other = query.clone();
            for (at, kind) in changes {
                let at = at % other.len();
                match kind {
                    0 => drop(other.remove(at)),
                    1 => other.insert(at, 3),
                    _ => other[at] = 2,
                }
            }
            let others = [other, query.clone()];
            check::<u8, 32>(&query, &others);
            check::<u16, 16>(&query, &others);
        }
    }

    #[test]
    fn every_pair_of_short_lengths_is_aligned() {
        let word = |length: usize, step: usize| -> Vec<u8> {
            (0..length).map(|i| ((i * step + i / 3) % 4) as u8).collect()
        };
        for length in 0..12 {
            let others: Vec<Vec<u8>> = (0..12).map(|other| word(other, 3)).collect();
            check::<u8, 32>(&word(length, 1), &others);
            check::<u16, 16>(&word(length, 1), &others);
        }
    }
}
