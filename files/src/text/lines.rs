//! Lines that are no longer than their reader allows.

use std::io::{self, BufRead, Read};

use super::TextFault;

/// The shortest limit for a line: rows of fifty thousand numbers fit.
const LEAST: u64 = 1 << 20;
/// The longest limit for a line: rows of three million numbers fit.
const MOST: u64 = 64 << 20;
/// Limits for a line among which the memory for reading is divided: cells and their places take
/// several times the bytes of the line.
const PARTS: u64 = 8;

/// Bytes that a line, or a row with line ends in quotes, may have where reading may take
/// `memory_bytes`: an eighth of them, from 1 MiB to 64 MiB.
#[must_use]
pub fn longest_line(memory_bytes: u64) -> u64 {
    (memory_bytes / PARTS).clamp(LEAST, MOST)
}

/// Whether more memory would allow longer lines than of `most` bytes.
pub(super) fn is_by_memory(most: u64) -> bool {
    most > LEAST && most < MOST
}

/// Appends the next line with its end to `line`, as [`BufRead::read_until`] does; it is the line
/// `number` from 1.
///
/// # Errors
/// Those of `reader`; [`TextFault::LongLine`] for one of more than `most` bytes.
pub fn read_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    (number, most): (u64, u64),
) -> io::Result<usize> {
    let count = reader.take(most + 1).read_until(b'\n', line)?;
    if count as u64 > most {
        return Err(TextFault::LongLine { line: number, most }.into());
    }
    Ok(count)
}
