//! Words, numbers, texts and digests as a checkpoint holds them: 64-bit words, little-endian.

use std::io::{self, Read, Write};

use super::PIECE;
use crate::Digest;

/// Writes a word.
///
/// # Errors
/// Those of `out`.
pub fn write_word(out: &mut dyn Write, word: u64) -> io::Result<()> {
    out.write_all(&word.to_le_bytes())
}

/// Reads a word.
///
/// # Errors
/// Those of `input`, which may have ended.
pub fn read_word(input: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Writes words, without their number.
///
/// # Errors
/// Those of `out`.
pub fn write_words(out: &mut dyn Write, words: &[u64]) -> io::Result<()> {
    for some in words.chunks(PIECE / 8) {
        let bytes: Vec<u8> = some.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads `count` words.
///
/// # Errors
/// Those of `input`, which may have ended.
pub fn read_words(input: &mut dyn Read, count: usize) -> io::Result<Vec<u64>> {
    let (mut words, mut bytes) = (Vec::new(), vec![0; PIECE.min(8 * count)]);
    while words.len() < count {
        let piece = (count - words.len()).min(PIECE / 8);
        input.read_exact(&mut bytes[..8 * piece])?;
        let some = bytes[..8 * piece].chunks_exact(8);
        words.extend(some.map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))));
    }
    Ok(words)
}

/// Writes numbers to the last bit, without how many they are.
///
/// # Errors
/// Those of `out`.
pub fn write_numbers(out: &mut dyn Write, numbers: &[f64]) -> io::Result<()> {
    write_words(out, bytemuck::cast_slice(numbers))
}

/// Reads `count` numbers.
///
/// # Errors
/// Those of `input`, which may have ended.
pub fn read_numbers(input: &mut dyn Read, count: usize) -> io::Result<Vec<f64>> {
    Ok(read_words(input, count)?.into_iter().map(f64::from_bits).collect())
}

pub(super) fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    write_word(out, text.len() as u64)?;
    out.write_all(text.as_bytes())
}

pub(super) fn read_text(input: &mut dyn Read) -> io::Result<String> {
    let length = read_word(input)?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Writes digests, without how many they are.
///
/// # Errors
/// Those of `out`.
pub fn write_digests(out: &mut dyn Write, digests: &[Digest]) -> io::Result<()> {
    digests.iter().try_for_each(|digest| out.write_all(digest.as_bytes()))
}

/// Reads `count` digests.
///
/// # Errors
/// Those of `input`, which may have ended.
pub fn read_digests(input: &mut dyn Read, count: usize) -> io::Result<Vec<Digest>> {
    let mut read = || {
        let mut bytes = [0; 32];
        input.read_exact(&mut bytes)?;
        Ok(Digest::from_bytes(bytes))
    };
    (0..count).map(|_| read()).collect()
}
