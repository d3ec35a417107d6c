//! Sequences of DNA or RNA, how they are read, and the metrics between them, one per file.

mod aligned;
mod fasta;
mod k80;
mod kmer;
mod lanes;
mod p_distance;
mod smith_waterman;

use std::path::Path;

pub(super) use k80::K80;
pub(super) use kmer::{KMER, LONGEST_WORD, USUAL_WORD};
pub(super) use p_distance::P_DISTANCE;
pub(super) use smith_waterman::SMITH_WATERMAN;

use super::error::DistanceError;

/// A gap in an aligned sequence.
const GAP: u8 = 0;
/// Letters, and which of the bases A = 1, C = 2, G = 4, T = 8 each may be: the codes of IUPAC
/// (Cornish-Bowden, 1985, Nucleic Acids Research 13:3021). U is T.
const LETTERS: [(u8, u8); 19] = [
    (b'A', 1),
    (b'C', 2),
    (b'G', 4),
    (b'T', 8),
    (b'U', 8),
    (b'R', 1 | 4),
    (b'Y', 2 | 8),
    (b'S', 2 | 4),
    (b'W', 1 | 8),
    (b'K', 4 | 8),
    (b'M', 1 | 2),
    (b'B', 2 | 4 | 8),
    (b'D', 1 | 4 | 8),
    (b'H', 1 | 2 | 8),
    (b'V', 1 | 2 | 4),
    (b'N', 15),
    (b'?', 15),
    (b'-', GAP),
    (b'.', GAP),
];

/// Bytes that a sequence takes beside its letters and those of its name.
const NAME_BYTES: usize = 64;

/// Sequences of DNA or RNA with names.
///
/// Letters are those of IUPAC in either case, U is T, and `-` and `.` are gaps. What stands for
/// more than one base is kept apart from the bases: it makes no word, no comparable site and no
/// match.
#[derive(Clone, Debug, Default)]
pub struct Sequences {
    names: Vec<String>,
    /// The bases that each letter may be, as bits, of one sequence after the other.
    letters: Vec<u8>,
    /// Where each sequence ends among the letters.
    ends: Vec<usize>,
    /// Bytes of names and places.
    name_bytes: u64,
    /// Bytes that were taken from a file.
    bytes_read: u64,
}

impl Sequences {
    /// Reads a FASTA file, compressed by gzip or bzip2 or not, in `memory_bytes` at most.
    ///
    /// # Errors
    /// If it cannot be read, is no FASTA file, is too large, or has a letter that is none of DNA; a
    /// name without letters, or letters without a name.
    pub fn read(path: &Path, memory_bytes: u64) -> Result<Self, DistanceError> {
        fasta::read(path, memory_bytes)
    }

    /// Sequences that are in memory, each with its name.
    ///
    /// # Errors
    /// If a letter is none of DNA.
    pub fn new<'a>(
        sequences: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, DistanceError> {
        let mut all = Self::default();
        for (name, letters) in sequences {
            all.begin(name);
            all.extend(letters.as_bytes()).map_err(DistanceError::Sequences)?;
        }
        Ok(all)
    }

    /// What the sequences are called.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of letters of a sequence, gaps included.
    ///
    /// # Panics
    /// If there is no such sequence.
    #[must_use]
    pub fn length(&self, sequence: usize) -> usize {
        self.letters(sequence).len()
    }

    /// Bytes that were taken from the file.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Bytes of memory that they take.
    fn bytes(&self) -> u64 {
        self.name_bytes + self.letters.len() as u64
    }

    /// A sequence without letters follows.
    fn begin(&mut self, name: &str) {
        self.name_bytes += (name.len() + NAME_BYTES) as u64;
        self.names.push(name.to_owned());
        self.ends.push(self.letters.len());
    }

    /// Adds letters to the last sequence; says which is none.
    fn extend(&mut self, letters: &[u8]) -> Result<(), String> {
        let end = self.ends.last_mut().expect("a sequence has begun");
        for &letter in letters.iter().filter(|letter| !letter.is_ascii_whitespace()) {
            let bases = CODES[usize::from(letter)];
            if bases == NONE {
                let name = self.names.last().map_or("", String::as_str);
                let start = self.ends.iter().rev().nth(1).copied().unwrap_or(0);
                let position = self.letters.len() - start + 1;
                return Err(foreign(name, letter, position));
            }
            self.letters.push(bases);
            *end = self.letters.len();
        }
        Ok(())
    }

    /// The letters of a sequence.
    fn letters(&self, sequence: usize) -> &[u8] {
        let start = if sequence == 0 { 0 } else { self.ends[sequence - 1] };
        &self.letters[start..self.ends[sequence]]
    }

    /// Each name with its letters.
    fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &[u8])> {
        self.names.iter().enumerate().map(|(index, name)| (name.as_str(), self.letters(index)))
    }
}

/// What a byte that is no letter stands for.
const NONE: u8 = u8::MAX;

/// The bases of every byte.
const CODES: [u8; 256] = {
    let mut codes = [NONE; 256];
    let mut index = 0;
    while index < LETTERS.len() {
        let (letter, bases) = LETTERS[index];
        codes[letter as usize] = bases;
        codes[letter.to_ascii_lowercase() as usize] = bases;
        index += 1;
    }
    codes
};

/// What is said of `letter` at `position`, from 1, of the sequence `name`.
fn foreign(name: &str, letter: u8, position: usize) -> String {
    let shown = char::from(letter).escape_default();
    format!(
        "sequence {name} has '{shown}' at position {position}, which is no letter of DNA: those are A, C, G, T, U, the \
         codes of IUPAC for several of them (N, R, Y, S, W, K, M, B, D, H, V), and - or . for a gap"
    )
}

/// The number of a base, 0 to 3 for A, C, G, T; none of what is several bases, or a gap.
fn base(letter: u8) -> Option<u8> {
    letter.is_power_of_two().then(|| letter.trailing_zeros() as u8)
}

#[cfg(test)]
mod tests {
    use super::{LETTERS, Sequences, base};

    #[test]
    fn letters_are_read_in_either_case() {
        let upper: String = LETTERS.iter().map(|&(letter, _)| char::from(letter)).collect();
        let lower = upper.to_ascii_lowercase();
        let sequences = Sequences::new([("a", &*upper), ("b", &*lower)]).expect("letters");
        assert_eq!(sequences.letters(0), sequences.letters(1));
        let bases: Vec<_> = sequences.letters(0).iter().filter_map(|&x| base(x)).collect();
        assert_eq!(bases, [0, 1, 2, 3, 3]);
    }

    #[test]
    fn a_foreign_letter_is_named_with_its_place() {
        let error = Sequences::new([("a", "ACGT"), ("b", "AC\nGJT")]).expect_err("J is none");
        assert!(error.to_string().starts_with("sequence b has 'J' at position 4,"), "{error}");
    }
}
