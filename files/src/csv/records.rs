//! The rows of a table as texts, each with the line on which it begins.

use std::io::{BufRead, Read};
use std::path::PathBuf;

use csv_core::ReadRecordResult as Step;
use sha2::Sha256;

use super::dialect::Delimiter;
use super::input::Input;
use crate::error::TableError;
use crate::text::TextFault;

/// Rows of a file, cut at a delimiter; comments and blank rows left out.
pub struct Records<R> {
    input: Input<R>,
    splitter: csv_core::Reader,
    cells: Cells,
    path: PathBuf,
}

/// The cells of a row.
struct Cells {
    /// One after the other, and behind them room for more.
    bytes: Vec<u8>,
    /// Where each of them ends, and room for more.
    ends: Vec<usize>,
    /// Bytes and cells that are there.
    filled: (usize, usize),
    /// Bytes that a row may have; a cell counts for two at least, with what separates it.
    most: usize,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Line on which the row begins, counted from 1.
    pub line: u64,
    ends: &'a [usize],
    text: &'a str,
}

impl<'a> Row<'a> {
    /// How many cells the row has.
    pub fn width(self) -> usize {
        self.ends.len()
    }

    /// The cells from left to right, as they stand, without the quotes around them.
    pub fn cells(self) -> impl Iterator<Item = &'a str> {
        starts(self.ends).zip(self.ends).map(move |(start, &end)| &self.text[start..end])
    }
}

/// A row that is kept, its cells without the blanks around them.
#[derive(Clone, Debug)]
pub(crate) struct OwnedRow {
    text: String,
    ends: Vec<usize>,
}

impl Row<'_> {
    /// The row, to be kept.
    pub(crate) fn to_owned(self) -> OwnedRow {
        let mut row = OwnedRow { text: String::new(), ends: Vec::with_capacity(self.width()) };
        for cell in self.cells() {
            row.text.push_str(cell.trim());
            row.ends.push(row.text.len());
        }
        row
    }
}

impl OwnedRow {
    /// How many cells the row has.
    pub(crate) fn width(&self) -> usize {
        self.ends.len()
    }

    /// The cell in a column, if there is one.
    pub(crate) fn get(&self, column: usize) -> Option<&str> {
        let start = if column == 0 { 0 } else { *self.ends.get(column - 1)? };
        Some(&self.text[start..*self.ends.get(column)?])
    }

    /// The first cell; every row has one.
    pub(crate) fn first(&self) -> &str {
        self.get(0).unwrap_or("")
    }

    /// Whether one of the cells behind the first says `text`.
    pub(crate) fn has_after_first(&self, text: &str) -> bool {
        self.cells().skip(1).any(|cell| cell == text)
    }

    /// The cells from left to right.
    pub(crate) fn cells(&self) -> impl DoubleEndedIterator<Item = &str> {
        (0..self.width()).filter_map(|column| self.get(column))
    }
}

/// Where the cells that end at `ends` begin.
fn starts(ends: &[usize]) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(ends.iter().copied())
}

impl Cells {
    /// Makes room for more, unless the row is too long.
    fn grow(&mut self) -> bool {
        let (bytes, cells) = self.filled;
        if bytes >= self.most || cells >= self.most / 2 {
            return false;
        }
        let grown =
            |there: usize, filled: usize, most: usize| there.max((2 * filled).clamp(64, most));
        self.bytes.resize(grown(self.bytes.len(), bytes, self.most), 0);
        self.ends.resize(grown(self.ends.len(), cells, self.most / 2), 0);
        true
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.filled.0]
    }

    fn ends(&self) -> &[usize] {
        &self.ends[..self.filled.1]
    }

    /// The cells end to end, if each of them is UTF-8.
    fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.bytes()).ok()?;
        let is_cut = |&end: &usize| !text.is_char_boundary(end);
        (text.is_ascii() || !self.ends().iter().any(is_cut)).then_some(text)
    }

    /// Whether one of them is not blank.
    fn hold_anything(&self) -> bool {
        !self.bytes().trim_ascii().is_empty()
    }
}

impl<R: Read> Records<R> {
    /// The rows that `reader` gives, which may have `most` bytes each.
    pub fn new(path: PathBuf, reader: R, (delimiter, most): (Delimiter, u64)) -> Self {
        let input = Input::new(reader, delimiter == Delimiter::Blanks);
        let splitter =
            csv_core::ReaderBuilder::new().comment(Some(b'#')).delimiter(delimiter.byte()).build();
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1 << 10);
        let cells = Cells { bytes: Vec::new(), ends: Vec::new(), filled: (0, 0), most };
        Self { input, splitter, cells, path }
    }

    /// The next row that holds anything, or `None` at the end.
    ///
    /// # Errors
    /// When reading fails, a row is too long or not UTF-8, or a quote stays open to the end of the
    /// file.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, TableError> {
        loop {
            if !self.split()? {
                return Ok(None);
            }
            if self.cells.hold_anything() {
                break;
            }
        }
        let line = self.line_of_row();
        if self.ends_in_open_quote() {
            // The very last line end belongs to the cell here, not to the row.
            return Err(TableError::UnclosedQuote { path: self.path.clone(), line: line + 1 });
        }
        match self.cells.text() {
            Some(text) => Ok(Some(Row { line, ends: self.cells.ends(), text })),
            None => Err(TableError::NotUtf8 { path: self.path.clone(), line }),
        }
    }

    /// Splits the next row into its cells; false at the end.
    fn split(&mut self) -> Result<bool, TableError> {
        self.cells.filled = (0, 0);
        loop {
            let cells = &mut self.cells;
            let input = self
                .input
                .fill_buf()
                .map_err(|cause| TableError::Read { path: self.path.clone(), cause })?;
            let (step, taken, bytes, ends) = self.splitter.read_record(
                input,
                &mut cells.bytes[cells.filled.0..],
                &mut cells.ends[cells.filled.1..],
            );
            self.input.consume(taken);
            cells.filled = (cells.filled.0 + bytes, cells.filled.1 + ends);
            match step {
                Step::InputEmpty => {}
                Step::OutputFull | Step::OutputEndsFull if cells.grow() => {}
                Step::OutputFull | Step::OutputEndsFull => return Err(self.too_long()),
                Step::Record => return Ok(true),
                Step::End => return Ok(false),
            }
        }
    }

    /// The error of the present row, which is not whole.
    fn too_long(&self) -> TableError {
        let most = self.cells.most as u64;
        let line = self.splitter.line() - self.lines_inside();
        let path = self.path.clone();
        TableError::Read { path, cause: TextFault::LongLine { line, most }.into() }
    }

    /// Where the bytes come from.
    pub(crate) fn reader(&self) -> &R {
        self.input.inner()
    }

    /// The digest of the bytes read so far: of the whole file once [`Records::next_row`] has
    /// returned `None`.
    pub(crate) fn into_hasher(self) -> Sha256 {
        self.input.into_hasher()
    }

    /// Line ends in the cells of the present row.
    fn lines_inside(&self) -> u64 {
        self.cells.bytes().iter().filter(|&&byte| byte == b'\n').count() as u64
    }

    /// The splitter stands behind the line end of the present row, which may hold further line ends
    /// in quotes.
    fn line_of_row(&self) -> u64 {
        self.splitter.line() - 1 - self.lines_inside()
    }

    /// A quote that is never closed swallows everything up to the line end at the very end of the
    /// input.
    fn ends_in_open_quote(&self) -> bool {
        self.cells.bytes().ends_with(b"\n") && self.input.ends_unquoted()
    }
}
