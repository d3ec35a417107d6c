//! Entries of a sparse matrix as they come out of a file.

use tegula_kernels::sparse::{MOST_LINES, SparseMatrix};

use super::lines::Lines;
use crate::source::SourceError;
use crate::text::shortened;

/// What is in the file of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Symmetry {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Symmetric => "symmetric",
            Self::Skew => "skew-symmetric",
        }
    }
}

/// Bytes that an entry takes until the matrix is there.
const ENTRY_BYTES: u64 = 48;

/// Entries that were read, of which there will be no more than the file has.
pub(super) struct Entries {
    m: usize,
    n: usize,
    symmetry: Symmetry,
    list: Vec<(u32, u32, f64)>,
    /// On which sides of the diagonal there were some: below, above.
    sides: [bool; 2],
}

impl Entries {
    /// None yet, of an `m x n` matrix.
    ///
    /// # Errors
    /// If there are too many rows or columns, or other ones than the symmetry allows.
    pub(super) fn new(
        lines: &Lines,
        (m, n): (u64, u64),
        symmetry: Symmetry,
    ) -> Result<Self, SourceError> {
        if m.max(n) > MOST_LINES as u64 {
            return Err(lines.fault(format_args!(
                "{m} x {n} is more than the {MOST_LINES} rows and columns that are read"
            )));
        }
        lines.check_memory(16 * (m + n), "so many rows and columns")?;
        if symmetry != Symmetry::General && m != n {
            let name = symmetry.name();
            return Err(lines.fault(format_args!(
                "a {name} matrix is square, not {m} x {n}: correct the sizes"
            )));
        }
        Ok(Self { m: m as usize, n: n as usize, symmetry, list: Vec::new(), sides: [false; 2] })
    }

    /// Adds the entry `value` in row `i` and column `j`, both from 1.
    ///
    /// # Errors
    /// If there is no such place, the value is not finite, or the symmetry does not allow it.
    pub(super) fn put(
        &mut self,
        lines: &Lines,
        (i, j): (u64, u64),
        value: f64,
    ) -> Result<(), SourceError> {
        let (m, n) = (self.m as u64, self.n as u64);
        if !(1..=m).contains(&i) || !(1..=n).contains(&j) {
            return Err(lines.fault(format_args!(
                "entry ({i}, {j}) is outside the {m} x {n} matrix, whose rows and columns are counted from 1: \
                 correct the entry or the sizes"
            )));
        }
        if !value.is_finite() {
            return Err(lines.fault(format_args!("entry ({i}, {j}) is not finite: correct it")));
        }
        let (row, column) = (i as u32 - 1, j as u32 - 1);
        self.list.push((row, column, value));
        if self.symmetry != Symmetry::General {
            self.mirror(lines, (row, column), value)?;
        }
        if self.list.len().is_power_of_two() {
            lines.check_memory(self.list.len() as u64 * ENTRY_BYTES, "the entries up to here")?;
        }
        Ok(())
    }

    /// Adds what symmetry says of an entry.
    fn mirror(
        &mut self,
        lines: &Lines,
        (row, column): (u32, u32),
        value: f64,
    ) -> Result<(), SourceError> {
        let name = self.symmetry.name();
        if row == column {
            if self.symmetry == Symmetry::Skew && value != 0.0 {
                return Err(lines.fault(format_args!(
                    "a {name} matrix has zeros on its diagonal, not {value}: correct the entry, or write 'general'"
                )));
            }
            return Ok(());
        }
        self.sides[usize::from(row < column)] = true;
        if self.sides == [true; 2] {
            return Err(lines.fault(format_args!(
                "the entry is on the other side of the diagonal than one before it, where a {name} matrix has \
                 one triangle in its file: leave out one, or write 'general'"
            )));
        }
        let value = if self.symmetry == Symmetry::Skew { -value } else { value };
        self.list.push((column, row, value));
        Ok(())
    }

    /// The matrix of these entries, those of one place added up.
    ///
    /// # Errors
    /// If a sum is not finite, or they take too much memory.
    pub(super) fn finish(self, lines: &Lines) -> Result<SparseMatrix<f64>, SourceError> {
        lines.check_memory(self.list.len() as u64 * ENTRY_BYTES, "the entries")?;
        let matrix = SparseMatrix::from_entries(self.m, self.n, &self.list);
        if !matrix.is_finite() {
            return Err(lines.fault("the sum of entries of the same place overflows: correct them"));
        }
        Ok(matrix)
    }
}

/// A whole number in a file.
pub(super) fn whole(lines: &Lines, text: &str, what: &str) -> Result<u64, SourceError> {
    text.parse().map_err(|_| {
        lines.fault(format_args!(
            "'{}' is no {what}, which is a whole number from 0 on: correct it",
            shortened(text)
        ))
    })
}

/// A real number in a file, with an exponent by `E` or `D` or without a letter.
pub(super) fn real(lines: &Lines, text: &str) -> Result<f64, SourceError> {
    let number = text.parse().ok().or_else(|| fortran_number(text));
    number.ok_or_else(|| {
        lines.fault(format_args!("'{}' is not a number: correct it", shortened(text)))
    })
}

/// A number whose exponent is written in one of Fortran's other ways: `1.5D+3`, `1.5+103`.
fn fortran_number(text: &str) -> Option<f64> {
    let exponent = text.char_indices().skip(1).find(|&(at, letter)| {
        "dD".contains(letter) || ("+-".contains(letter) && !text[..at].ends_with(['e', 'E']))
    });
    let (at, letter) = exponent?;
    let rest = if "+-".contains(letter) { &text[at..] } else { &text[at + 1..] };
    let digits = text[..at].bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    digits.then(|| format!("{}e{rest}", &text[..at]).parse().ok()).flatten()
}
