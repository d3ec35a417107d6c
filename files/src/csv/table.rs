//! A table read from a file: columns of numbers, found by name or number.

use std::io;
use std::path::Path;

use super::columns::{Column, ColumnIndex, Sight};
use super::dialect::Dialect;
use super::lines::Lines;
use super::parts::{Kept, push_row};
use super::shape::{ReadOptions, Shape};
use super::source::Source;
use super::stored::Stored;
use super::write::NamedValues;
use crate::digest::Digest;
use crate::error::TableError;
use crate::names::nearest_name;
use crate::text::TextFault;

/// A table read from a CSV file, or from a file of columns ([`Table::open`]): rows of equally many
/// cells, whose numeric columns are held as `f64`.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) source: Source,
    pub(super) shape: Shape,
    pub(super) names: Vec<String>,
    pub(super) digest: Digest,
    pub(super) bytes_read: u64,
    pub(super) columns: Vec<Column>,
    pub(super) lines: Lines,
    /// What a part of a table keeps of its rows, which are not read again.
    pub(super) kept: Option<Box<Kept>>,
    /// The file of columns that it is of, if that is no text.
    pub(super) stored: Option<Stored>,
}

/// Bytes that a column takes beside its values.
const COLUMN_BYTES: u64 = 256;
/// Cells after which memory is looked at again.
const CELLS: usize = 1 << 16;

/// What a table may take of memory.
struct Room {
    memory_bytes: u64,
    /// Cells since memory was looked at.
    unseen: usize,
}

impl Room {
    /// Refuses more columns than there is memory for.
    fn check_columns(&self, width: usize) -> io::Result<()> {
        let most = self.memory_bytes;
        let are_few = width as u64 * COLUMN_BYTES <= most;
        if are_few { Ok(()) } else { Err(TextFault::Columns { width, most }.into()) }
    }

    /// Refuses `columns` with more values, up to `line`, than there is memory for.
    fn check(&mut self, columns: &[Column], lines: &Lines, line: u64) -> io::Result<()> {
        self.unseen += columns.len();
        if self.unseen < CELLS {
            return Ok(());
        }
        self.unseen = 0;
        let values: usize = columns.iter().map(|column| column.values.len()).sum();
        let bytes = (values * size_of::<f64>() + lines.bytes()) as u64;
        if bytes > self.memory_bytes {
            return Err(TextFault::memory("the table", (line, self.memory_bytes)));
        }
        Ok(())
    }
}

impl Table {
    /// Reads `path`, finding out delimiter, decimals and header.
    ///
    /// # Errors
    /// [`TableError`] when the file cannot be read, holds no row, is not UTF-8, or has a row of
    /// another length. Text and missing values are no errors until a column is asked for them.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        Self::read_with(path, &ReadOptions::default())
    }

    /// Reads `path` as `options` say.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn read_with(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        Self::from_source(Source::open(path, options.memory_bytes)?, options)
    }

    /// Reads bytes that are in memory; `name` stands for the path in messages.
    ///
    /// # Errors
    /// As [`Table::read`], but for those of the file system.
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        Self::from_source(Source::hold(Path::new(name), bytes, options.memory_bytes), options)
    }

    fn from_source(source: Source, options: &ReadOptions) -> Result<Self, TableError> {
        let shape = Shape::find(&source, options)?;
        let mut records = source.records(shape.dialect.delimiter)?;
        if shape.header.is_some() {
            records.next_row()?;
        }
        let mut room = Room { memory_bytes: source.memory_bytes, unseen: 0 };
        room.check_columns(shape.width).map_err(|cause| source.unreadable(cause))?;
        let mut columns = vec![Column::default(); shape.width];
        let mut lines = Lines::default();
        while let Some(row) = records.next_row()? {
            push_row(&mut columns, &mut lines, (row, &shape), &source.path)?;
            room.check(&columns, &lines, row.line).map_err(|cause| source.unreadable(cause))?;
        }
        let bytes_read = records.reader().bytes_taken();
        let digest = Digest::finish(records.into_hasher());
        let names = shape.names();
        if lines.rows() == 0 {
            return Err(TableError::OnlyHeader { path: source.path, columns: names });
        }
        let (kept, stored) = (None, None);
        Ok(Self { source, shape, names, digest, bytes_read, columns, lines, kept, stored })
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// How many rows there are, the header not counted.
    pub fn rows(&self) -> usize {
        self.lines.rows()
    }

    /// The names of the columns from left to right: those of the header (empty where it gives
    /// none), or 1, 2, and so on.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the first row was taken for a header.
    pub fn has_header(&self) -> bool {
        self.shape.header.is_some()
    }

    /// How the file is written.
    pub fn dialect(&self) -> Dialect {
        self.shape.dialect
    }

    /// Bytes of the file, compressed or not.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The digest of the text: of the file's bytes, unless it is compressed or in UTF-16; of the
    /// bytes of a file of columns.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The line of the file on which `row`, counted from 0, begins.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn line(&self, row: usize) -> u64 {
        self.lines.line(row)
    }

    /// The name of a column; its number if it has none.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn name(&self, column: ColumnIndex) -> String {
        match self.names[column.0].as_str() {
            "" => column.number().to_string(),
            name => name.to_owned(),
        }
    }

    /// Finds a column by its name, by its name in other case, or by its 1-based number, in this
    /// order.
    ///
    /// # Errors
    /// [`TableError::UnknownColumn`] with the columns there are, or
    /// [`TableError::AmbiguousColumn`].
    pub fn find(&self, wanted: &str) -> Result<ColumnIndex, TableError> {
        let wanted = wanted.trim();
        if let Some(column) = self.find_name(wanted, |name| name == wanted)? {
            return Ok(column);
        }
        if let Some(column) = self.find_name(wanted, |name| alike(name, wanted))? {
            return Ok(column);
        }
        match wanted.parse::<usize>() {
            Ok(number) if (1..=self.names.len()).contains(&number) => Ok(ColumnIndex(number - 1)),
            _ => Err(TableError::UnknownColumn {
                path: self.path().to_owned(),
                wanted: wanted.to_owned(),
                nearest: nearest_name(wanted, self.names.iter().map(String::as_str))
                    .map(str::to_owned),
                columns: self.names.clone(),
            }),
        }
    }

    /// Whether [`Table::find`] takes `wanted` for the number of a column, which the header names
    /// otherwise.
    pub fn is_found_by_number(&self, wanted: &str) -> bool {
        let is_name = |name: &String| alike(name, wanted.trim());
        self.has_header() && self.find(wanted).is_ok() && !self.names.iter().any(is_name)
    }

    /// The first of `names` that one column bears, case ignored: for the obvious names of a
    /// coordinate.
    pub fn find_any(&self, names: &[&str]) -> Option<ColumnIndex> {
        names
            .iter()
            .find_map(|&wanted| self.find_name(wanted, |name| alike(name, wanted)).ok().flatten())
    }

    fn find_name(
        &self,
        wanted: &str,
        bears: impl Fn(&str) -> bool,
    ) -> Result<Option<ColumnIndex>, TableError> {
        let found: Vec<usize> = (0..self.names.len())
            .filter(|&column| !self.names[column].is_empty() && bears(&self.names[column]))
            .collect();
        match found[..] {
            [] => Ok(None),
            [column] => Ok(Some(ColumnIndex(column))),
            _ => Err(TableError::AmbiguousColumn {
                path: self.path().to_owned(),
                wanted: wanted.to_owned(),
                numbers: found.iter().map(|column| column + 1).collect(),
            }),
        }
    }

    /// Whether every cell of a column is a finite number or missing, so that [`Table::numbers`]
    /// gives it.
    pub fn is_numeric(&self, column: ColumnIndex) -> bool {
        self.columns[column.0].text.is_none() && self.columns[column.0].infinite.is_none()
    }

    /// Whether a cell of a column is neither a number nor missing.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn is_text(&self, column: ColumnIndex) -> bool {
        self.columns[column.0].text.is_some()
    }

    /// The values of a column, one for each row; NaN is a missing value, and nothing else is NaN or
    /// infinite.
    ///
    /// # Errors
    /// [`TableError::NotANumber`] or [`TableError::NotFinite`] with the first offending cell.
    pub fn numbers(&self, column: ColumnIndex) -> Result<&[f64], TableError> {
        let Column { values, text, infinite } = &self.columns[column.0];
        let place =
            |sight: &Sight| (self.path().to_owned(), self.line(sight.row), self.name(column));
        let word = self.word();
        if let Some(sight) = text {
            let (path, line, column) = place(sight);
            let text = sight.text.clone();
            return Err(TableError::NotANumber { path, word, line, column, text });
        }
        if let Some(sight) = infinite {
            let (path, line, column) = place(sight);
            let text = sight.text.clone();
            return Err(TableError::NotFinite { path, word, line, column, text });
        }
        Ok(values)
    }

    /// Checks that no row lacks a value in any of `columns`, which are columns of this table or
    /// computed from them.
    ///
    /// # Errors
    /// [`TableError::MissingValue`] with the first line that lacks one and the number of such rows.
    ///
    /// # Panics
    /// If a column has not one value for each row.
    pub fn require_complete(&self, columns: &[NamedValues<'_>]) -> Result<(), TableError> {
        let mut lacking = self.lacking(columns);
        let Some((row, column)) = lacking.next() else { return Ok(()) };
        Err(TableError::MissingValue {
            path: self.path().to_owned(),
            word: self.word(),
            line: self.line(row),
            column: columns[column].name.to_owned(),
            rows: 1 + lacking.count(),
            of: self.rows(),
        })
    }

    /// The rows, counted from 0, that lack no value in any of `columns`.
    ///
    /// # Panics
    /// If a column has not one value for each row.
    pub fn complete_rows(&self, columns: &[NamedValues<'_>]) -> Vec<usize> {
        let mut lacking = self.lacking(columns).map(|(row, _)| row).peekable();
        (0..self.rows()).filter(|row| lacking.next_if_eq(row).is_none()).collect()
    }

    /// The rows that lack a value, each with the first of `columns` that lacks it.
    fn lacking<'a>(
        &self,
        columns: &'a [NamedValues<'_>],
    ) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        for column in columns {
            column.assert_rows(self.rows());
        }
        (0..self.rows()).filter_map(|row| {
            columns
                .iter()
                .position(|column| column.values[row].is_nan())
                .map(|column| (row, column))
        })
    }
}

fn alike(name: &str, wanted: &str) -> bool {
    name.to_lowercase() == wanted.to_lowercase()
}
