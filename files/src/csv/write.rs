//! Columns of numbers as CSV: commas, decimal points, and the shortest spelling that reads back
//! exactly.

use std::io::{self, Write};
use std::path::Path;

use super::cell::push_number;
use super::dialect::{Decimal, Dialect};
use crate::atomic::write_atomically;
use crate::error::WriteError;

/// A column of numbers with its name; NaN stands for a missing value.
#[derive(Clone, Copy, Debug)]
pub struct NamedValues<'a> {
    /// What the header says.
    pub name: &'a str,
    /// One value for each row.
    pub values: &'a [f64],
}

impl NamedValues<'_> {
    pub(super) fn assert_rows(&self, rows: usize) {
        let found = self.values.len();
        assert!(
            found == rows,
            "column '{}' has {found} values where there are {rows} rows",
            self.name
        );
    }
}

/// Writes `columns` with a header to `path`, all of it or nothing (see
/// [`write_atomically`](crate::write_atomically)). A missing value is written as `NA`.
///
/// # Errors
/// [`WriteError`] when the file cannot be written.
///
/// # Panics
/// If the columns have not equally many values.
pub fn write_columns(path: &Path, columns: &[NamedValues<'_>]) -> Result<(), WriteError> {
    write_atomically(path, |out| Ok(write_columns_to(out, columns)?))
}

/// Writes `columns` with a header to `out`.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If the columns have not equally many values.
pub fn write_columns_to(out: &mut dyn Write, columns: &[NamedValues<'_>]) -> io::Result<()> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    columns.iter().for_each(|column| column.assert_rows(rows));
    let mut rows_out = RowWriter::new(out, Dialect::PLAIN);
    rows_out.write([], columns.iter().map(|column| column.name))?;
    let mut number = String::new();
    for row in 0..rows {
        for column in columns {
            number.clear();
            push_number(&mut number, column.values[row], Decimal::Point);
            rows_out.cell(&number)?;
        }
        rows_out.end_row()?;
    }
    rows_out.finish()
}

/// What the system said, as it said it.
fn cause_of(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(cause) => cause,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Rows of cells in a dialect, quoted where that is needed to read them back.
pub(super) struct RowWriter<'a> {
    writer: ::csv::Writer<&'a mut dyn Write>,
}

impl<'a> RowWriter<'a> {
    /// A writer to `out`.
    pub(super) fn new(out: &'a mut dyn Write, dialect: Dialect) -> Self {
        let writer = ::csv::WriterBuilder::new()
            .has_headers(false)
            .delimiter(dialect.delimiter.byte())
            .comment(Some(b'#'))
            .buffer_capacity(1 << 16)
            .from_writer(out);
        Self { writer }
    }

    /// Appends a row made of `first` and then `second`.
    pub(super) fn write<'b>(
        &mut self,
        first: impl IntoIterator<Item = &'b str>,
        second: impl IntoIterator<Item = &'b str>,
    ) -> io::Result<()> {
        first.into_iter().chain(second).try_for_each(|cell| self.cell(cell))?;
        self.end_row()
    }

    /// Appends a cell to the present row.
    pub(super) fn cell(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_field(text).map_err(cause_of)
    }

    /// Ends the present row.
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        self.writer.write_record(None::<&[u8]>).map_err(cause_of)
    }

    /// Hands everything on.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
