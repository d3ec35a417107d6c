//! SHA-256 of a file's bytes or of columns of numbers, so that a model can tell which data it was
//! fitted to.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::columns::Cells;

/// A SHA-256 digest; displayed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest that `hasher` has come to.
    pub(super) fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// The digest whose 32 bytes these are.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The digest of `bytes` (FIPS 180-4, SHA-256).
pub fn digest_bytes(bytes: &[u8]) -> Digest {
    Digest::finish(Sha256::new_with_prefix(bytes))
}

/// The digest of columns of numbers: how many columns, then for each its length and its values, all
/// as 64-bit little-endian words. It does not depend on how the numbers were spelt in a file. Every
/// NaN (a missing value) counts as the same, and so do the two zeros.
pub fn digest_numbers(columns: &[&[f64]]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update((columns.len() as u64).to_le_bytes());
    for column in columns {
        hasher.update((column.len() as u64).to_le_bytes());
        for &value in *column {
            let canonical = if value.is_nan() { f64::NAN } else { value + 0.0 };
            hasher.update(canonical.to_bits().to_le_bytes());
        }
    }
    Digest::finish(hasher)
}

/// The digest of columns with their names: numbers as [`digest_numbers`] counts them, texts by
/// their bytes, each after its length.
pub(crate) fn digest_columns(columns: &[(String, Cells)]) -> Digest {
    let mut hasher = Sha256::new();
    let text = |hasher: &mut Sha256, text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    for (name, cells) in columns {
        text(&mut hasher, name);
        match cells {
            Cells::Numbers(values) => hasher.update(digest_numbers(&[values]).as_bytes()),
            Cells::Texts(texts) => texts.iter().for_each(|cell| text(&mut hasher, cell)),
        }
    }
    Digest::finish(hasher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_of_the_standard_example() {
        // FIPS 180-4 example: SHA-256("abc").
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_bytes(b"abc").to_string(), expected);
    }

    #[test]
    fn numbers_count_and_their_spelling_does_not() {
        let missing = [1.0, -f64::NAN];
        assert_eq!(
            digest_numbers(&[&[0.0], &[1.0, f64::NAN]]),
            digest_numbers(&[&[-0.0], &missing])
        );
        assert_ne!(digest_numbers(&[&[1.0, 2.0]]), digest_numbers(&[&[1.0], &[2.0]]));
        assert_ne!(digest_numbers(&[&[1.0, 2.0]]), digest_numbers(&[&[2.0, 1.0]]));
    }
}
