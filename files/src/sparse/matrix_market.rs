//! Matrix Market's formats: coordinates and arrays of real numbers.
//!
//! Boisvert, Pozo, Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935
//! (1996). A header, lines of comments that begin with `%`, sizes, and an entry on each line.

use std::io::{self, Write};

use super::entries::{Entries, Symmetry, real, whole};
use super::lines::Lines;
use super::{DenseFile, SparseFile};
use crate::source::SourceError;
use crate::text::shortened;

/// What the header says.
struct Header {
    is_array: bool,
    field: Field,
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

impl Header {
    fn parse(lines: &Lines, first: &str) -> Result<Self, SourceError> {
        let words: Vec<String> = first.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [_, object, format, field, symmetry] = *words else {
            return Err(lines.fault(
                "the header has five words, such as %%MatrixMarket matrix coordinate real general: correct it",
            ));
        };
        let other = |what: &str, word: &str, read: &str| {
            lines.unsupported(format_args!("{what} '{}' is not read, but {read}", shortened(word)))
        };
        if object != "matrix" {
            return Err(other("object", object, "matrix"));
        }
        let is_array = match format {
            "coordinate" => false,
            "array" => true,
            _ => return Err(other("format", format, "coordinate and array")),
        };
        let field = match field {
            "real" | "double" => Field::Real,
            "integer" => Field::Integer,
            "pattern" if !is_array => Field::Pattern,
            "complex" => {
                return Err(lines.unsupported(
                    "it holds complex numbers, which are not read: write real and imaginary part as a real \
                     matrix of twice the order",
                ));
            }
            _ => return Err(other("field", field, "real, integer and pattern")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            _ => return Err(other("symmetry", symmetry, "general, symmetric and skew-symmetric")),
        };
        Ok(Self { is_array, field, symmetry })
    }

    fn describe(&self) -> String {
        let field = match self.field {
            Field::Real => "real",
            Field::Integer => "integer",
            Field::Pattern => "pattern",
        };
        format!("Matrix Market, {field}, {}", self.symmetry.name())
    }
}

/// Goes to the next line that holds something else than a comment; `what` it has to be.
fn content(lines: &mut Lines, what: &str) -> Result<Vec<String>, SourceError> {
    loop {
        let line = lines.expect(what)?;
        if !line.trim().is_empty() && !line.starts_with('%') {
            return Ok(line.split_whitespace().map(str::to_owned).collect());
        }
    }
}

/// # Errors
/// If there is more in the file than blank lines and comments.
fn check_end(lines: &mut Lines, promised: u64) -> Result<(), SourceError> {
    while let Some(line) = lines.next()? {
        if !line.trim().is_empty() && !line.starts_with('%') {
            return Err(lines.fault(format_args!(
                "there is more than the {promised} entries that the line of sizes promises: correct it"
            )));
        }
    }
    Ok(())
}

/// Reads a matrix in coordinates, whose header was `first`.
pub(super) fn read_coordinates(mut lines: Lines, first: &str) -> Result<SparseFile, SourceError> {
    let header = Header::parse(&lines, first)?;
    if header.is_array {
        return Err(lines.unsupported(
            "it is a dense matrix (array), where a sparse one (coordinate) is asked for: tegula linalg geqrf and \
             gels take dense ones",
        ));
    }
    let format = header.describe();
    let (entries, _) = coordinates(&mut lines, &header)?;
    Ok(SparseFile { matrix: entries.finish(&lines)?, format })
}

/// The entries of a file in coordinates, and its shape.
fn coordinates(lines: &mut Lines, header: &Header) -> Result<(Entries, [u64; 3]), SourceError> {
    let sizes = content(lines, "the line of sizes")?;
    let [m, n, count] = sizes.as_slice() else {
        return Err(
            lines.fault("rows, columns and number of entries should stand here: correct the line")
        );
    };
    let sizes = [whole(lines, m, "size")?, whole(lines, n, "size")?, whole(lines, count, "size")?];
    let [m, n, promised] = sizes;
    let mut entries = Entries::new(lines, (m, n), header.symmetry)?;
    let width = if header.field == Field::Pattern { 2 } else { 3 };
    let mut read = 0;
    while read < promised {
        let Some(line) = lines.next()? else {
            return Err(lines.fault(format_args!(
                "the file ends after {read} of the {promised} entries that its line of sizes promises: it was cut \
                 short, or that line is wrong"
            )));
        };
        if line.trim().is_empty() || line.starts_with('%') {
            continue;
        }
        let mut words = line.split_whitespace();
        let parts = [words.next(), words.next(), if width == 3 { words.next() } else { Some("1") }];
        let ([Some(i), Some(j), Some(value)], None) = (parts, words.next()) else {
            let shown = if width == 3 { "row, column and value" } else { "row and column" };
            let found = line.split_whitespace().count();
            return Err(
                lines.fault(format_args!("an entry is {shown}, not {found} words: correct it"))
            );
        };
        // They borrow the line, which messages about it need too.
        let (i, j, value) = (i.to_owned(), j.to_owned(), value.to_owned());
        let place = (whole(lines, &i, "row")?, whole(lines, &j, "column")?);
        let value = real(lines, &value)?;
        if header.field == Field::Integer && value.fract() != 0.0 {
            return Err(lines.fault(format_args!(
                "{value} is no whole number, as the header says: correct either"
            )));
        }
        entries.put(lines, place, value)?;
        read += 1;
    }
    check_end(lines, promised)?;
    Ok((entries, sizes))
}

/// Reads a matrix in either form, whose header was `first`, as a dense one.
pub(super) fn read_dense(mut lines: Lines, first: &str) -> Result<DenseFile, SourceError> {
    let header = Header::parse(&lines, first)?;
    if !header.is_array {
        let (entries, [m, n, _]) = coordinates(&mut lines, &header)?;
        let bytes = m.saturating_mul(n).saturating_mul(8);
        lines.check_memory(bytes, "the entries of the dense matrix")?;
        let sparse = entries.finish(&lines)?;
        let (m, n) = (sparse.m(), sparse.n());
        let mut dense = vec![0.0; m * n];
        (0..n).for_each(|j| sparse.column(j).for_each(|(i, value)| dense[i + j * m] = value));
        return Ok(DenseFile { shape: (m, n), entries: dense });
    }
    if header.symmetry != Symmetry::General {
        return Err(
            lines.unsupported("of arrays, general ones are read: write out the whole matrix")
        );
    }
    let sizes = content(&mut lines, "the line of sizes")?;
    let [m, n] = sizes.as_slice() else {
        return Err(lines.fault("rows and columns should stand here: correct the line"));
    };
    let (m, n) = (whole(&lines, m, "size")?, whole(&lines, n, "size")?);
    let promised = m.saturating_mul(n);
    lines.check_memory(promised.saturating_mul(8), "the entries of the matrix")?;
    let mut entries = Vec::new();
    while (entries.len() as u64) < promised {
        for word in content(&mut lines, &format!("entry {} of {promised}", entries.len() + 1))? {
            let value = real(&lines, &word)?;
            if !value.is_finite() || entries.len() as u64 == promised {
                return Err(lines.fault(format_args!(
                    "'{}' is not finite, or more than the {promised} entries that the sizes promise: correct it",
                    shortened(&word)
                )));
            }
            entries.push(value);
        }
    }
    check_end(&mut lines, promised)?;
    Ok(DenseFile { shape: (m as usize, n as usize), entries })
}

/// Writes the `m x n` matrix `entries`, column by column, to `out` as an array of Matrix Market's;
/// `comment` says what it is.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If there are not `m n` entries.
pub fn write_array(
    out: &mut dyn Write,
    (m, n): (usize, usize),
    entries: &[f64],
    comment: &str,
) -> io::Result<()> {
    assert!(entries.len() == m * n, "{} entries are not {m} x {n}", entries.len());
    writeln!(out, "%%MatrixMarket matrix array real general\n% {comment}\n{m} {n}")?;
    entries.iter().try_for_each(|value| writeln!(out, "{value:e}"))
}

/// Writes the `m x n` matrix with `count` entries `(row, column, value)`, from 0, to `out` in
/// coordinates of Matrix Market's; `comment` says what it is.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If there are not so many entries.
pub fn write_coordinates(
    out: &mut dyn Write,
    (m, n, count): (usize, usize, usize),
    entries: impl Iterator<Item = (usize, usize, f64)>,
    comment: &str,
) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real general\n% {comment}\n{m} {n} {count}")?;
    let mut written = 0;
    for (i, j, value) in entries {
        writeln!(out, "{} {} {value:e}", i + 1, j + 1)?;
        written += 1;
    }
    assert!(written == count, "{written} entries, not {count}");
    Ok(())
}
