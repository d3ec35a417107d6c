//! Reading tables.

use std::path::Path;

use super::head::Head;
use crate::csv::Decimal;
use crate::csv::records::{Records, Row};
use crate::error::TableError;
use crate::matrix::input::{self, Opened};
use crate::matrix::name_list::NameList;
use crate::matrix::stored::{Gather, Order, Stored};
use crate::matrix::{ReadSettings, number};
use crate::source::{Source, SourceError};
use crate::text::longest_line;

/// Lines from which the form of a table is found.
const FIRST_LINES: usize = 5;

/// Opens the table at `path`.
pub(super) fn open(
    path: &Path,
    part: Option<&str>,
    settings: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    if let Some(part) = part {
        return Err(no_parts(path, part));
    }
    let memory_bytes = settings.memory_bytes;
    let lines = Opened::new(path, memory_bytes)?.first_lines(FIRST_LINES)?;
    let Some(head) = Head::find(path, &lines) else { return Err(input::empty(path)) };
    drop(lines);
    let text = Opened::new(path, memory_bytes)?.into_text();
    let cut = (head.dialect.delimiter, longest_line(memory_bytes));
    let mut records = Records::new(path.to_owned(), text, cut);
    let mut table = Reading::new(path, head, settings);
    while let Some(row) = records.next_row().map_err(|error| refused(path, error))? {
        table.take(row)?;
    }
    table.finish(records.reader().bytes_taken())
}

/// The error of a text file of which a part is asked for.
pub(in crate::matrix) fn no_parts(path: &Path, part: &str) -> SourceError {
    SourceError::invalid(
        path,
        format!("it has no parts, so none called '{part}': leave ':{part}' out"),
    )
}

/// What stopped the reading of rows.
fn refused(path: &Path, error: TableError) -> SourceError {
    match error {
        TableError::Read { cause, .. } => input::unreadable(path, cause),
        TableError::NotUtf8 { line, .. } => input::not_utf8(path, line),
        TableError::UnclosedQuote { line, .. } => {
            let reason = format!("line {line}: a quote is opened in this row and never closed");
            SourceError::invalid(path, reason)
        }
        other => SourceError::invalid(path, other.to_string()),
    }
}

/// A table that is being read.
struct Reading<'a> {
    path: &'a Path,
    head: Head,
    entries: Gather,
    rows: usize,
    header: Option<Vec<String>>,
    row_names: NameList,
    memory_bytes: u64,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, head: Head, settings: &ReadSettings<'_>) -> Self {
        let memory_bytes = settings.memory_bytes;
        let (entries, row_names) = (Gather::new(settings), NameList::new(memory_bytes));
        Self { path, head, entries, rows: 0, header: None, row_names, memory_bytes }
    }

    fn refuse(&self, line: u64, reason: &str) -> SourceError {
        SourceError::invalid(self.path, format!("line {line}, {reason}"))
    }

    /// Takes the next row.
    fn take(&mut self, row: Row<'_>) -> Result<(), SourceError> {
        if self.head.has_header && self.header.is_none() {
            return self.take_header(row);
        }
        if row.width() != self.head.width {
            let reason = format!(
                "{} cells where the rows before have {} ({}): is the file cut short, or a delimiter in a name \
                 without quotes?",
                row.width(),
                self.head.width,
                self.head.dialect
            );
            return Err(self.refuse(row.line, &reason));
        }
        let mut cells = row.cells();
        if self.head.has_row_names {
            let name = cells.next().unwrap_or("").trim();
            self.row_names.push(name, (self.path, row.line))?;
        }
        let decimal = self.head.dialect.decimal;
        for (column, cell) in cells.enumerate() {
            let entry = number::parse(cell, decimal)
                .map_err(|reason| self.bad_cell(row.line, column, cell, &reason))?;
            self.entries.push(entry)?;
        }
        self.rows += 1;
        Ok(())
    }

    fn take_header(&mut self, row: Row<'_>) -> Result<(), SourceError> {
        let mut names = NameList::new(self.memory_bytes);
        row.cells().try_for_each(|cell| names.push(cell.trim(), (self.path, row.line)))?;
        let mut names = names.into_names();
        let missing = self.head.width.checked_sub(names.len());
        match (missing, self.head.has_row_names) {
            (Some(0), true) => {
                names.remove(0);
            }
            (Some(0), false) | (Some(1), true) => {}
            _ => {
                let reason = format!(
                    "{} names where the rows below have {} cells ({})",
                    names.len(),
                    self.head.width,
                    self.head.dialect
                );
                return Err(self.refuse(row.line, &reason));
            }
        }
        self.header = Some(names);
        Ok(())
    }

    /// The error of a cell in `line`, of the entry in `column`.
    fn bad_cell(&self, line: u64, column: usize, cell: &str, reason: &str) -> SourceError {
        let place = column + 1 + usize::from(self.head.has_row_names);
        let name = self.header.as_ref().and_then(|names| names.get(column));
        let name = name.filter(|name| !name.is_empty());
        let name = name.map_or(String::new(), |name| format!(" ('{}')", number::shown(name)));
        let is_comma = self.head.dialect.decimal == Decimal::Point
            && cell.contains(',')
            && number::parse(cell, Decimal::Comma).is_ok();
        let hint = if is_comma { "; decimals have to be points here" } else { "" };
        self.refuse(line, &format!("column {place}{name}: {reason}{hint}"))
    }

    /// The matrix, for which so many bytes of the file were read.
    fn finish(self, bytes_read: u64) -> Result<Box<dyn Source>, SourceError> {
        if self.rows == 0 {
            let reason = "it has a header but no row below it";
            return Err(SourceError::invalid(self.path, reason));
        }
        let columns = self.head.width - usize::from(self.head.has_row_names);
        if columns == 0 {
            return Err(SourceError::invalid(self.path, "it holds names but no numbers"));
        }
        let some = |names: Vec<String>| {
            Some(names).filter(|names| names.iter().any(|name| !name.is_empty()))
        };
        let names = [some(self.row_names.into_names()), self.header.and_then(some)];
        let entries = (Order::Rows, self.entries.finish()?);
        Ok(Stored::of_text(self.path, [self.rows, columns], entries, names, bytes_read))
    }
}
