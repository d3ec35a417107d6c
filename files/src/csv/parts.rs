//! A table some rows at a time: files of any length in bounded memory, and tables of numbers that
//! stand in no file.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::cell::push_number;
use super::columns::Column;
use super::dialect::Dialect;
use super::lines::Lines;
use super::records::{Records, Row};
use super::shape::{ReadOptions, Shape};
use super::source::Source;
use super::stored::{StoredParts, column, left_out_words, no_row, shape};
use super::table::Table;
use super::write::RowWriter;
use crate::columns::{self, Cells, ColumnFile};
use crate::digest::{Digest, digest_bytes, digest_columns};
use crate::error::TableError;
use crate::text::Text;

/// Parts of the memory for reading of which one may hold a part of a table, its texts twice.
const MEMORY_PARTS: u64 = 4;

/// A table that is read some rows at a time, as often as wanted.
#[derive(Clone, Debug)]
pub struct TableFile {
    source: Source,
    shape: Shape,
    names: Vec<String>,
    /// The file of columns, if it is no text.
    stored: Option<Arc<dyn ColumnFile>>,
}

/// What a part holds of its rows beside numbers.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    /// The cells as they stand, row by row.
    Cells {
        /// End to end.
        text: String,
        /// Where each ends.
        ends: Vec<usize>,
    },
    /// Those of the columns that hold texts alone: the others are numbers.
    Columns {
        /// What a row is called.
        word: &'static str,
        /// For each column its texts, if it holds some.
        texts: Vec<Option<Vec<String>>>,
    },
}

impl Kept {
    /// The cells of `row`, of so many in each.
    pub(super) fn cells(&self, row: usize, width: usize) -> impl Iterator<Item = &str> {
        let (text, ends): (&str, &[usize]) = match self {
            Self::Cells { text, ends } => (text, ends),
            Self::Columns { .. } => ("", &[]),
        };
        let those = (row * width).min(ends.len())..((row + 1) * width).min(ends.len());
        those.map(move |place| {
            let start = place.checked_sub(1).map_or(0, |before| ends[before]);
            &text[start..ends[place]]
        })
    }
}

impl Kept {
    /// The text at `row` of a column, if that holds texts.
    pub(super) fn text(&self, row: usize, column: usize) -> Option<&str> {
        let Self::Columns { texts, .. } = self else { return None };
        texts.get(column)?.as_ref().map(|texts| texts[row].as_str())
    }
}

impl TableFile {
    /// Looks at the first rows of the table at `path`, of any kind that [`Table::open`] reads.
    ///
    /// # Errors
    /// As [`Table::open`], as far as the first rows tell.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        if let Some(file) = columns::open(path, options.memory_bytes)? {
            return Ok(Self::of_stored(path, &file, options.memory_bytes));
        }
        let source = Source::open(path, options.memory_bytes)?;
        let shape = Shape::find(&source, options)?;
        let names = shape.names();
        Ok(Self { source, shape, names, stored: None })
    }

    /// The rows of `file`, which is at `path`.
    pub(super) fn of_stored(path: &Path, file: &Arc<dyn ColumnFile>, memory_bytes: u64) -> Self {
        let (source, shape) = (Source::hold(path, Vec::new(), memory_bytes), shape(&**file));
        let names = shape.names();
        Self { source, shape, names, stored: Some(Arc::clone(file)) }
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// The names of the columns, as [`Table::names`].
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How results with these rows are written.
    pub fn dialect_out(&self) -> Dialect {
        self.shape.dialect.for_output()
    }

    /// A reader of parts with `rows` rows, fewer where these take too much memory.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub fn parts(&self, rows: usize) -> Result<Parts, TableError> {
        let (file, rows) = (self.clone(), rows.max(1));
        if let Some(stored) = &self.stored {
            let most = self.source.memory_bytes / MEMORY_PARTS;
            let parts = StoredParts::new(stored, most);
            let from = From::Columns(parts.map_err(|cause| self.source.unreadable(cause))?);
            return Ok(Parts { file, from, rows, has_rows: false, digest: None });
        }
        let mut records = self.source.records(self.shape.dialect.delimiter)?;
        if self.shape.header.is_some() {
            records.next_row()?;
        }
        let from = From::Text(Some(Box::new(records)));
        Ok(Parts { file, from, rows, has_rows: false, digest: None })
    }
}

/// The parts of a table, one after the other.
pub struct Parts {
    file: TableFile,
    from: From,
    rows: usize,
    /// Whether a row was seen.
    has_rows: bool,
    digest: Option<Digest>,
}

/// Where rows come from.
enum From {
    /// A text, until its end.
    Text(Option<Box<Records<Text>>>),
    /// A file of columns.
    Columns(StoredParts),
}

impl Parts {
    /// The next rows as a table of their own, on the lines where they stand; none at the end. A
    /// column is one of text if a cell of these rows is.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn next_part(&mut self) -> Result<Option<Table>, TableError> {
        let records = match &mut self.from {
            From::Text(Some(records)) => records,
            From::Text(None) => return Ok(None),
            From::Columns(_) => return self.next_stored(),
        };
        let shape = &self.file.shape;
        let mut columns = vec![Column::default(); shape.width];
        let mut lines = Lines::default();
        let (mut text, mut ends) = (String::new(), Vec::new());
        let most = self.file.source.memory_bytes / MEMORY_PARTS;
        while let Some(row) = records.next_row()? {
            self.has_rows = true;
            push_row(&mut columns, &mut lines, (row, shape), &self.file.source.path)?;
            for cell in row.cells() {
                text.push_str(cell);
                ends.push(text.len());
            }
            let bytes = 2 * text.len() + 16 * ends.len() + lines.bytes();
            if lines.rows() == self.rows || bytes as u64 > most {
                return Ok(Some(self.part(columns, lines, Kept::Cells { text, ends })));
            }
        }
        if !self.has_rows {
            let (path, columns) = (self.file.source.path.clone(), self.file.names.clone());
            return Err(TableError::OnlyHeader { path, columns });
        }
        if let From::Text(records) = &mut self.from
            && let Some(records) = records.take()
        {
            self.digest = Some(Digest::finish(records.into_hasher()));
        }
        let part = self.part(columns, lines, Kept::Cells { text, ends });
        Ok((part.rows() > 0).then_some(part))
    }

    /// The next rows of a file of columns.
    fn next_stored(&mut self) -> Result<Option<Table>, TableError> {
        let From::Columns(parts) = &mut self.from else { return Ok(None) };
        let source = &self.file.source;
        let read = parts.next(self.rows);
        let (columns, lines, kept) = read.map_err(|cause| source.unreadable(cause))?;
        if lines.rows() > 0 {
            self.has_rows = true;
            return Ok(Some(self.part(columns, lines, kept)));
        }
        if let Some(stored) = self.file.stored.as_ref().filter(|_| !self.has_rows) {
            return Err(no_row(&source.path, &**stored));
        }
        let digest = columns::digest_file(&source.path);
        self.digest = Some(digest.map_err(|cause| source.unreadable(cause))?.0);
        Ok(None)
    }

    /// Rows of a file of columns that held no value and were left out so far, in words, if there
    /// were some.
    pub fn left_out(&self) -> Option<String> {
        let (From::Columns(parts), Some(file)) = (&self.from, &self.file.stored) else {
            return None;
        };
        let count = parts.left_out();
        (count > 0).then(|| left_out_words(count, file.word()))
    }

    /// The digest of the text, or of the bytes of a file of columns, once all parts were read.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    fn part(&self, columns: Vec<Column>, lines: Lines, kept: Kept) -> Table {
        let TableFile { source, shape, names, .. } = &self.file;
        Table::part(source.clone(), shape.clone(), names.clone(), (columns, lines), kept)
    }
}

/// Appends `row` of a table of this shape to its columns.
pub(super) fn push_row(
    columns: &mut [Column],
    lines: &mut Lines,
    (row, shape): (Row<'_>, &Shape),
    path: &Path,
) -> Result<(), TableError> {
    if row.width() != shape.width {
        return Err(TableError::Ragged {
            path: path.to_owned(),
            line: row.line,
            expected: shape.width,
            found: row.width(),
            dialect: shape.dialect.to_string(),
        });
    }
    for (column, cell) in columns.iter_mut().zip(row.cells()) {
        column.push(lines.rows(), cell, shape.dialect.decimal);
    }
    lines.push(row.line);
    Ok(())
}

impl Table {
    /// Rows of numbers that stand in no text: `columns` with their names, of what is called `name`
    /// in messages. Each row is a `word` (a node) there, and the first has the number `first`.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn of_numbers(
        name: &Path,
        columns: Vec<(String, Vec<f64>)>,
        numbered: (&'static str, u64),
    ) -> Self {
        let columns = columns.into_iter().map(|(name, values)| (name, Cells::Numbers(values)));
        Self::in_memory(name, columns.collect(), numbered)
    }

    /// As [`of_numbers`](Self::of_numbers) of columns that may hold texts, with a digest of what is
    /// in them.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn of_columns(
        name: &Path,
        columns: Vec<(String, Cells)>,
        numbered: (&'static str, u64),
    ) -> Self {
        let digest = digest_columns(&columns);
        Self { digest, ..Self::in_memory(name, columns, numbered) }
    }

    fn in_memory(
        name: &Path,
        columns: Vec<(String, Cells)>,
        (word, first): (&'static str, u64),
    ) -> Self {
        let rows = columns.first().map_or(0, |(_, cells)| cells.rows());
        let mut lines = Lines::default();
        (0..rows as u64).for_each(|row| lines.push(first + row));
        let (names, cells): (Vec<String>, Vec<Cells>) = columns.into_iter().unzip();
        let shape = Shape { dialect: Dialect::PLAIN, width: names.len(), header: Some(names) };
        let checked = cells.into_iter().map(|cells| {
            assert_eq!(cells.rows(), rows, "cells of a column");
            column(cells)
        });
        let (columns, texts) = checked.unzip();
        let source = Source::hold(name, Vec::new(), u64::MAX);
        let names = shape.names();
        Self::part(source, shape, names, (columns, lines), Kept::Columns { word, texts })
    }

    fn part(
        source: Source,
        shape: Shape,
        names: Vec<String>,
        (columns, lines): (Vec<Column>, Lines),
        kept: Kept,
    ) -> Self {
        let (digest, kept) = (digest_bytes(&[]), Some(Box::new(kept)));
        let stored = None;
        Self { source, shape, names, digest, bytes_read: 0, columns, lines, kept, stored }
    }

    /// Where `row`, counted from 0, stands, for messages: `FILE, line 7`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_name(&self, row: usize) -> String {
        format!("{}, {} {}", self.path().display(), self.word(), self.line(row))
    }
}

/// Writes parts of a table with further columns, one part after the other: cells as they stand,
/// then the columns, as [`Table::fill_with`] does.
pub struct PartWriter<'a> {
    rows: RowWriter<'a>,
    dialect: Dialect,
}

impl<'a> PartWriter<'a> {
    /// Begins a file with a header of `names` and those of the further columns.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        out: &'a mut dyn Write,
        dialect: Dialect,
        (names, more): (&[String], &[String]),
    ) -> io::Result<Self> {
        let mut rows = RowWriter::new(out, dialect);
        rows.write(names.iter().map(String::as_str), more.iter().map(String::as_str))?;
        Ok(Self { rows, dialect })
    }

    /// Writes `part` with the further columns, a value for each row.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// If the table is no part, or a column has not one value for each row.
    pub fn write(&mut self, part: &Table, more: &[Vec<f64>]) -> io::Result<()> {
        let kept = part.kept.as_deref().expect("a part keeps its cells");
        assert!(more.iter().all(|column| column.len() == part.rows()), "values of a column");
        let width = part.shape.width;
        let own: &[Column] = match kept {
            Kept::Cells { .. } => &[],
            Kept::Columns { .. } => &part.columns,
        };
        let mut number = String::new();
        for row in 0..part.rows() {
            kept.cells(row, width).try_for_each(|cell| self.rows.cell(cell))?;
            let own = own.iter().enumerate().map(|(place, column)| (Some(place), &column.values));
            for (place, values) in own.chain(more.iter().map(|values| (None, values))) {
                if let Some(text) = place.and_then(|place| kept.text(row, place)) {
                    self.rows.cell(text)?;
                    continue;
                }
                number.clear();
                push_number(&mut number, values[row], self.dialect.decimal);
                self.rows.cell(&number)?;
            }
            self.rows.end_row()?;
        }
        Ok(())
    }

    /// Hands everything on.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<()> {
        self.rows.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::{ColumnIndex, NamedValues};

    /// A file read in parts of any length, and written again, is the file read at once and written.
    #[test]
    fn parts_make_up_the_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.csv");
        let text = "id;x\n\" a;1 \";3,5\n\nNA;4\n# none\n7 ;5\nb;\n\"c\";1e3\n";
        std::fs::write(&path, text).expect("a file");
        let whole = Table::read(&path).expect("a table");
        let values: Vec<f64> = (0..whole.rows()).map(|row| row as f64 + 0.5).collect();
        let mut expected = Vec::new();
        let extra = [NamedValues { name: "more", values: &values }];
        whole.fill_with(&mut expected, &extra).expect("written");
        for rows in 1..7 {
            let file = TableFile::open(&path, &ReadOptions::default()).expect("a table");
            let mut parts = file.parts(rows).expect("opened");
            let (mut out, mut seen) = (Vec::new(), 0);
            let more = ["more".to_owned()];
            let mut writer =
                PartWriter::new(&mut out, file.dialect_out(), (file.names(), &more)).expect("made");
            while let Some(part) = parts.next_part().expect("read") {
                assert!(part.rows() <= rows);
                for row in 0..part.rows() {
                    assert_eq!(part.line(row), whole.line(seen + row));
                }
                let texts = part.texts(ColumnIndex(0)).expect("texts");
                let all = whole.texts(ColumnIndex(0)).expect("texts");
                assert_eq!(texts, all[seen..seen + part.rows()]);
                let those = values[seen..seen + part.rows()].to_vec();
                writer.write(&part, &[those]).expect("written");
                seen += part.rows();
            }
            writer.finish().expect("written");
            assert_eq!(seen, whole.rows());
            assert_eq!(parts.digest(), Some(whole.digest()));
            assert_eq!(String::from_utf8(out), String::from_utf8(expected.clone()));
        }
    }

    #[test]
    fn memory_bounds_a_part() {
        let text: String = (0..4000).map(|i| format!("{i},{}\n", i * i)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).expect("a file");
        let options = ReadOptions { memory_bytes: 1 << 16, ..ReadOptions::default() };
        let file = TableFile::open(&path, &options).expect("a table");
        let mut parts = file.parts(usize::MAX).expect("opened");
        let (mut count, mut rows) = (0, 0);
        while let Some(part) = parts.next_part().expect("read") {
            (count, rows) = (count + 1, rows + part.rows());
        }
        assert!(rows == 4000 && count > 5, "{rows} rows in {count} parts");
    }

    #[test]
    fn columns_in_memory_hold_numbers_and_texts() {
        let table = |x: f64, class: &str| {
            let texts = vec!["a".to_owned(), class.to_owned(), String::new()];
            let numbers = vec![x, f64::INFINITY, f64::NAN];
            let columns = vec![
                ("x".to_owned(), Cells::Numbers(numbers)),
                ("class".to_owned(), Cells::Texts(texts)),
            ];
            Table::of_columns(Path::new("X"), columns, ("row", 0))
        };
        let one = table(1.0, "b");
        let classes = one.classes(one.find("class").expect("there")).expect("in memory");
        assert_eq!(classes.names, ["a", "b"]);
        assert_eq!(classes.codes, [Some(0), Some(1), None]);
        let error = one.numbers(one.find("x").expect("there")).expect_err("infinite");
        assert!(error.to_string().contains("X, row 1"), "{error}");
        assert_eq!(one.digest(), table(1.0, "b").digest());
        assert_ne!(one.digest(), table(2.0, "b").digest());
        assert_ne!(one.digest(), table(1.0, "a").digest());
    }

    #[test]
    fn numbers_in_no_file_are_written_as_numbers() {
        let columns =
            vec![("x".to_owned(), vec![0.1, 2.0]), ("y".to_owned(), vec![-1e9, f64::NAN])];
        let table = Table::of_numbers(Path::new("--grid"), columns, ("node", 7));
        assert_eq!(table.row_name(1), "--grid, node 8");
        let (mut out, more) = (Vec::new(), ["v".to_owned()]);
        let mut writer =
            PartWriter::new(&mut out, Dialect::PLAIN, (table.names(), &more)).expect("made");
        writer.write(&table, &[vec![1.0, 2.5]]).expect("written");
        writer.finish().expect("written");
        let expected = "x,y,v\n0.1,-1000000000,1\n2,NA,2.5\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
