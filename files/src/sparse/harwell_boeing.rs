//! Harwell-Boeing and Rutherford-Boeing files: assembled real and pattern matrices.
//!
//! Duff, Grimes, Lewis, "Users' guide for the Harwell-Boeing sparse matrix collection",
//! TR/PA/92/86, CERFACS (1992), and "The Rutherford-Boeing sparse matrix collection", RAL-TR-97-031
//! (1997). Four lines of header, then where columns begin, the rows of entries, and their values,
//! each in numbers of fixed width. Right-hand sides that follow are not read.

use super::SparseFile;
use super::entries::{Entries, Symmetry, real, whole};
use super::fortran::Format;
use super::lines::Lines;
use crate::source::SourceError;
use crate::text::shortened;

/// What the header says.
struct Header {
    is_pattern: bool,
    symmetry: Symmetry,
    m: u64,
    n: u64,
    nnz: u64,
    pointers: Format,
    indices: Format,
    values: Option<Format>,
}

/// Reads the file whose first line, a title, was read.
pub(super) fn read(mut lines: Lines) -> Result<SparseFile, SourceError> {
    let (header, format) = header(&mut lines)?;
    let mut entries = Entries::new(&lines, (header.m, header.n), header.symmetry)?;
    let per_entry = 8 * if header.is_pattern { 1 } else { 2 };
    let starts = numbers(&mut lines, header.pointers, header.n + 1, "beginnings of columns")?;
    check_starts(&lines, &starts, header.nnz)?;
    lines.check_memory(header.nnz.saturating_mul(per_entry), "so many entries")?;
    let rows = numbers(&mut lines, header.indices, header.nnz, "rows of entries")?;
    let columns = (1..).zip(starts.windows(2));
    let mut columns = columns.flat_map(|(j, pair)| (pair[0]..pair[1]).map(move |_| j));
    let mut rows = rows.into_iter();
    let mut place = || (rows.next().expect("they were read"), columns.next().unwrap_or(0));
    match header.values {
        None => {
            for _ in 0..header.nnz {
                entries.put(&lines, place(), 1.0)?;
            }
        }
        Some(format) => {
            each(&mut lines, format, header.nnz, "values", |lines, text| {
                entries.put(lines, place(), value(lines, format, text)?)
            })?;
        }
    }
    Ok(SparseFile { matrix: entries.finish(&lines)?, format })
}

/// The other lines of the header, and the format in words.
fn header(lines: &mut Lines) -> Result<(Header, String), SourceError> {
    let second = lines.expect("a line of counts")?.to_owned();
    let counts: Result<Vec<u64>, _> = second.split_whitespace().map(str::parse).collect();
    let counts = counts.ok().filter(|counts| (4..=5).contains(&counts.len()));
    let Some(counts) = counts else {
        return Err(lines.fault(
            "neither Matrix Market (whose first line begins with %%MatrixMarket) nor Harwell-Boeing, whose second \
             line has four or five whole numbers: is it the right file?",
        ));
    };
    let name = if counts.len() == 5 { "Harwell-Boeing" } else { "Rutherford-Boeing" };
    let third = lines.expect("a line with the kind and the sizes of the matrix")?.to_owned();
    let words: Vec<&str> = third.split_whitespace().collect();
    let [kind, m, n, nnz, ..] = *words else {
        return Err(
            lines.fault("kind, rows, columns and entries should stand here: correct the line")
        );
    };
    let (is_pattern, symmetry) = parse_kind(lines, kind)?;
    let (m, n) = (whole(lines, m, "size")?, whole(lines, n, "size")?);
    let nnz = whole(lines, nnz, "size")?;
    let fourth = lines.expect("a line of formats")?.to_owned();
    let formats = split_formats(&fourth);
    let format = |k: usize| {
        let text = formats.get(k).copied().unwrap_or("");
        Format::parse(text).ok_or_else(|| {
            lines.unsupported(format_args!(
                "'{}' is no format that is read, such as (16I5) or (5E16.8): correct it",
                shortened(text)
            ))
        })
    };
    let (pointers, indices) = (format(0)?, format(1)?);
    let values = if is_pattern { None } else { Some(format(2)?) };
    if counts.len() == 5 && counts[4] > 0 {
        // What right-hand sides are: they come last.
        lines.expect("a line about right-hand sides")?;
    }
    let header = Header { is_pattern, symmetry, m, n, nnz, pointers, indices, values };
    let field = if is_pattern { "pattern" } else { "real" };
    Ok((header, format!("{name}, {field}, {}", symmetry.name())))
}

/// The formats on a line: each in parentheses, of which there may be more inside.
fn split_formats(line: &str) -> Vec<&str> {
    let (mut formats, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in line.char_indices() {
        match letter {
            '(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    formats.push(&line[start..=at]);
                }
            }
            _ => {}
        }
    }
    formats
}

/// Whether a kind such as `RUA` has no values, and its symmetry.
fn parse_kind(lines: &Lines, kind: &str) -> Result<(bool, Symmetry), SourceError> {
    let letters: Vec<char> = kind.to_uppercase().chars().collect();
    let [field, symmetry, storage] = *letters else {
        return Err(lines.fault(format_args!(
            "'{}' is no kind of matrix, which has three letters, such as RUA: correct it",
            shortened(kind)
        )));
    };
    if storage != 'A' {
        return Err(lines.unsupported(format_args!(
            "'{kind}' is not assembled: matrices of elements are not read, assemble it first"
        )));
    }
    let is_pattern = match field {
        'R' | 'I' => false,
        'P' | 'Q' => true,
        'C' => {
            return Err(lines.unsupported(format_args!(
                "'{kind}' holds complex numbers, which are not read: write real and imaginary part as a real \
                 matrix of twice the order"
            )));
        }
        _ => return Err(lines.unsupported(format_args!("kind '{kind}' is not read, but R and P"))),
    };
    let symmetry = match symmetry {
        'U' | 'R' => Symmetry::General,
        'S' => Symmetry::Symmetric,
        'Z' => Symmetry::Skew,
        _ => {
            return Err(
                lines.unsupported(format_args!("kind '{kind}' is not read, but U, R, S, Z"))
            );
        }
    };
    Ok((is_pattern, symmetry))
}

/// Calls `put` with `count` texts of numbers, which begin on a new line.
fn each(
    lines: &mut Lines,
    format: Format,
    count: u64,
    what: &str,
    mut put: impl FnMut(&Lines, &str) -> Result<(), SourceError>,
) -> Result<(), SourceError> {
    let mut read = 0;
    while read < count {
        let line = lines.expect(&format!("{what} {} of {count}", read + 1))?.to_owned();
        let before = read;
        for text in format.fields(&line).into_iter().take((count - read) as usize) {
            put(lines, text)?;
            read += 1;
        }
        if read == before {
            return Err(lines.fault(format_args!(
                "a blank line, where {what} {} of {count} should stand: the header is wrong, or the file damaged",
                read + 1
            )));
        }
    }
    Ok(())
}

/// So many whole numbers.
fn numbers(
    lines: &mut Lines,
    format: Format,
    count: u64,
    what: &str,
) -> Result<Vec<u64>, SourceError> {
    let mut numbers = Vec::new();
    each(lines, format, count, what, |lines, text| {
        numbers.push(whole(lines, text, "index")?);
        if numbers.len().is_power_of_two() {
            lines.check_memory(16 * numbers.len() as u64, "the indices up to here")?;
        }
        Ok(())
    })?;
    Ok(numbers)
}

/// A value in a field of `format`.
fn value(lines: &Lines, format: Format, text: &str) -> Result<f64, SourceError> {
    let has_point = text.contains('.') || format.decimals == 0;
    let value = real(lines, text)?;
    if !has_point && value.is_finite() && value != 0.0 {
        return Err(lines.fault(format_args!(
            "'{}' has no decimal point, which the format would put before its last {} digits: write one",
            shortened(text),
            format.decimals
        )));
    }
    Ok(value)
}

/// # Errors
/// If `starts` do not go from 1 up to one more than the entries.
fn check_starts(lines: &Lines, starts: &[u64], nnz: u64) -> Result<(), SourceError> {
    let is_right = starts.is_sorted()
        && starts.first() == Some(&1)
        && starts.last() == Some(&nnz.saturating_add(1));
    if is_right {
        return Ok(());
    }
    Err(lines.fault(format_args!(
        "the beginnings of columns, which end here, do not go up from 1 to {}: the header is wrong, or the file damaged",
        nnz.saturating_add(1)
    )))
}
