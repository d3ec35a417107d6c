//! Tables of files of columns that are no text (rasters, Parquet): whole, or some rows at a time.

use std::path::Path;
use std::sync::Arc;

use super::columns::{Column, Sight};
use super::dialect::Dialect;
use super::lines::Lines;
use super::parts::{Kept, TableFile};
use super::shape::{ReadOptions, Shape};
use super::source::Source;
use super::table::Table;
use crate::columns::{self, Batch, Cells, ColumnFile, ColumnReader};
use crate::error::TableError;

/// Cells that are read at a time: some tens of megabytes.
const CELLS: usize = 1 << 22;
/// Bytes of a cell, or of the number of a row.
const CELL_BYTES: u64 = 8;

/// The file that a table is of, and rows of it that held no value.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) file: Arc<dyn ColumnFile>,
    left_out: u64,
}

/// Rows of such a file, one after the other.
pub(super) struct StoredParts {
    file: Arc<dyn ColumnFile>,
    reader: Box<dyn ColumnReader>,
    /// Bytes that a part may take.
    most: u64,
}

impl StoredParts {
    /// Those of `file`, from the first row, for parts that take `most` bytes.
    pub(super) fn new(file: &Arc<dyn ColumnFile>, most: u64) -> std::io::Result<Self> {
        Ok(Self { file: Arc::clone(file), reader: file.reader()?, most })
    }

    /// About `rows` of the next rows, fewer where they take too much memory: their columns, their
    /// numbers, and the texts of the columns that hold some. No rows at the end.
    pub(super) fn next(&mut self, rows: usize) -> std::io::Result<(Vec<Column>, Lines, Kept)> {
        let width = self.file.names().len();
        let by_memory = self.most / (CELL_BYTES * (width as u64 + 1));
        let rows = rows.min(CELLS / width.max(1)).min(by_memory as usize).max(1);
        let mut batch = Batch::of_numbers(width);
        self.reader.read(rows, &mut batch)?;
        let mut lines = Lines::default();
        batch.numbers.iter().for_each(|&number| lines.push(number));
        let (columns, texts) = batch.columns.into_iter().map(column).unzip();
        Ok((columns, lines, Kept::Columns { word: self.file.word(), texts }))
    }

    /// Rows without a value that were left out so far.
    pub(super) fn left_out(&self) -> u64 {
        self.reader.left_out()
    }
}

/// A column with these cells, and its texts if it has some.
pub(super) fn column(cells: Cells) -> (Column, Option<Vec<String>>) {
    match cells {
        Cells::Numbers(mut values) => {
            let infinite = values.iter().position(|value| value.is_infinite());
            let infinite = infinite.map(|row| Sight::new(row, &values[row].to_string()));
            if infinite.is_some() {
                values.iter_mut().filter(|v| v.is_infinite()).for_each(|value| *value = f64::NAN);
            }
            (Column { values, infinite, text: None }, None)
        }
        Cells::Texts(texts) => {
            let is_word = |text: &String| !text.is_empty() && text.parse::<f64>().is_err();
            // Who wants numbers is shown what is none.
            let row = texts.iter().position(is_word);
            let row = row.or_else(|| texts.iter().position(|text| !text.is_empty())).unwrap_or(0);
            let text = texts.get(row).map(|text| Sight::new(row, text));
            (Column { text, ..Column::default() }, Some(texts))
        }
    }
}

impl Column {
    /// Appends the rows of `more`, which follow `rows` of this one.
    fn append(&mut self, more: Self, rows: usize) {
        let shifted = |sight: Sight| Sight { row: sight.row + rows, ..sight };
        self.text = self.text.take().or(more.text.map(shifted));
        self.infinite = self.infinite.take().or(more.infinite.map(shifted));
        self.values.extend(more.values);
    }
}

/// What a table of `file` is to those who ask for the dialect and the header of a text.
pub(super) fn shape(file: &dyn ColumnFile) -> Shape {
    let names = file.names().to_vec();
    Shape { dialect: Dialect::PLAIN, width: names.len(), header: Some(names) }
}

impl Table {
    /// Reads the table at `path`: text as [`Table::read_with`] does, or a file of columns, which
    /// its first bytes tell: a GeoTIFF, NetCDF in the classic format, with the feature `parquet`
    /// Parquet.
    ///
    /// # Errors
    /// As [`Table::read_with`]; if the file is of a kind that is not read, damaged, or too large.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        match columns::open(path, options.memory_bytes)? {
            Some(file) => Self::of_stored(path, &file, options.memory_bytes),
            None => Self::read_with(path, options),
        }
    }

    fn of_stored(
        path: &Path,
        file: &Arc<dyn ColumnFile>,
        memory_bytes: u64,
    ) -> Result<Self, TableError> {
        let failed = |cause| TableError::Read { path: path.to_owned(), cause };
        let mut parts = StoredParts::new(file, memory_bytes / 4).map_err(failed)?;
        let shape = shape(&**file);
        let mut all = vec![Column::default(); shape.width];
        let mut lines = Lines::default();
        loop {
            let (columns, more, _) = parts.next(usize::MAX).map_err(failed)?;
            if more.rows() == 0 {
                break;
            }
            for (column, more) in all.iter_mut().zip(columns) {
                column.append(more, lines.rows());
            }
            (0..more.rows()).for_each(|row| lines.push(more.line(row)));
            let values: usize = all.iter().map(|column| column.values.len()).sum();
            let bytes = (values * size_of::<f64>() + lines.bytes()) as u64;
            if bytes > memory_bytes {
                let what =
                    format!("the table up to {} {}", file.word(), lines.line(lines.rows() - 1));
                return Err(failed(columns::too_large(what, bytes, memory_bytes)));
            }
        }
        if lines.rows() == 0 {
            return Err(no_row(path, &**file));
        }
        let (digest, bytes_read) = columns::digest_file(path).map_err(failed)?;
        let stored = Some(Stored { file: Arc::clone(file), left_out: parts.left_out() });
        let (source, names) = (Source::hold(path, Vec::new(), memory_bytes), shape.names());
        let kept = None;
        Ok(Self { source, shape, names, digest, bytes_read, columns: all, lines, kept, stored })
    }

    /// The rows of its file again, with their texts; none if the table is of text.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(super) fn stored_again(&self) -> Result<Option<TableFile>, TableError> {
        let Some(stored) = &self.stored else { return Ok(None) };
        let memory_bytes = self.source.memory_bytes;
        Ok(Some(TableFile::of_stored(self.path(), &stored.file, memory_bytes)))
    }

    /// What the file is, in a few words: how a text is written, or what kind of a file it is.
    pub fn describe(&self) -> String {
        let Some(Stored { file, left_out }) = &self.stored else {
            let header = if self.has_header() { "header" } else { "no header" };
            return format!("{header}, {}", self.dialect());
        };
        let mut words = file.describe();
        if *left_out > 0 {
            words += &format!(" ({})", left_out_words(*left_out, file.word()));
        }
        words
    }

    /// The values of a column of numbers; NaN also where one is not finite.
    ///
    /// # Panics
    /// If there is no such column.
    #[cfg(feature = "parquet")]
    pub(crate) fn values(&self, column: super::columns::ColumnIndex) -> &[f64] {
        &self.columns[column.0].values
    }

    /// What a row is called in messages: the line on which it stands, or a pixel.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (&self.stored, self.kept.as_deref()) {
            (Some(stored), _) => stored.file.word(),
            (None, Some(Kept::Columns { word, .. })) => word,
            _ => "line",
        }
    }
}

/// So many rows of this name without a value, in words.
pub(super) fn left_out_words(count: u64, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s} without a value left out")
}

/// The error of a file of which no row has a value.
pub(super) fn no_row(path: &Path, file: &dyn ColumnFile) -> TableError {
    let cause = columns::unreadable(format!("no {} of it has a value", file.word()));
    TableError::Read { path: path.to_owned(), cause }
}
