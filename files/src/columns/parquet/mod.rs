//! Parquet as a table: flat columns of numbers and texts, read row group by row group.
//!
//! Numbers of all kinds, truth values (0 and 1) and decimals are numbers; dates and instants are
//! days since 1970-01-01. Nulls are missing values. Columns of lists, structures and raw bytes are
//! left out, and named.

mod kind;
mod write;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::column::reader::{ColumnReader as Pages, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use self::kind::Kind;
use super::guard::guarded;
use super::{Batch, Cells, ColumnFile, ColumnReader, damaged, free, unreadable};

pub use write::ParquetWriter;

/// A Parquet file.
#[derive(Debug)]
pub(super) struct Parquet {
    path: PathBuf,
    names: Vec<String>,
    /// The columns: their places in the file, and what is in them.
    columns: Vec<(usize, Kind)>,
    /// Columns that are left out.
    others: Vec<String>,
    groups: usize,
}

/// The error that the library has met.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::NYI(what) => unreadable(format!(
            "{what}; write it again with the compression snappy (pandas: to_parquet(..., \
             compression='snappy'))"
        )),
        ParquetError::General(what) if what.contains("Disabled feature") => unreadable(format!(
            "it is compressed as this program does not read ({what}): write it again with snappy, \
             gzip or lz4 (pandas: to_parquet(..., compression='snappy'))"
        )),
        ParquetError::General(what) | ParquetError::EOF(what) => damaged(what),
        error => damaged(error),
    }
}

impl Parquet {
    /// Looks at the file at `path`.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let reader = guarded(|| SerializedFileReader::new(file).map_err(failed))?;
        let data = reader.metadata();
        let schema = data.file_metadata().schema_descr();
        let (mut names, mut columns, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (place, column) in schema.columns().iter().enumerate() {
            let name = column.path().string();
            let is_flat = column.max_rep_level() == 0 && column.path().parts().len() == 1;
            match Kind::of(column).filter(|_| is_flat) {
                Some(kind) => {
                    names.push(free(&names, name));
                    columns.push((place, kind));
                }
                None => others.push(name),
            }
        }
        if columns.is_empty() {
            return Err(unreadable(format!(
                "no column of it holds numbers or texts: there are {}",
                others.join(", ")
            )));
        }
        let groups = data.num_row_groups();
        Ok(Self { path: path.to_owned(), names, columns, others, groups })
    }
}

impl ColumnFile for Parquet {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn describe(&self) -> String {
        match self.others.as_slice() {
            [] => "Parquet".to_owned(),
            others => format!("Parquet, without {} (no numbers or texts)", others.join(", ")),
        }
    }

    fn word(&self) -> &'static str {
        "row"
    }

    fn reader(&self) -> io::Result<Box<dyn ColumnReader>> {
        let file = File::open(&self.path)?;
        let reader = guarded(|| SerializedFileReader::new(file).map_err(failed))?;
        let (file, data) = (Arc::new(reader), self.columns.clone());
        if file.metadata().num_row_groups() != self.groups {
            return Err(damaged("it changed while it was in use"));
        }
        Ok(Box::new(Rows { file, columns: data, open: Vec::new(), next_group: 0, rows: 0 }))
    }
}

/// The rows of a file.
struct Rows {
    file: Arc<SerializedFileReader<File>>,
    columns: Vec<(usize, Kind)>,
    /// The columns of the row group that is read.
    open: Vec<Pages>,
    next_group: usize,
    /// Rows that were read.
    rows: u64,
}

impl ColumnReader for Rows {
    fn read(&mut self, rows: usize, batch: &mut Batch) -> io::Result<()> {
        guarded(|| self.read_groups(rows, batch))
    }
}

impl Rows {
    /// Reads the next rows, from one row group after the other.
    fn read_groups(&mut self, rows: usize, batch: &mut Batch) -> io::Result<()> {
        let end = batch.rows() + rows;
        while batch.rows() < end {
            if self.open.is_empty() {
                if self.next_group == self.file.num_row_groups() {
                    return Ok(());
                }
                let group = self.file.get_row_group(self.next_group).map_err(failed)?;
                self.next_group += 1;
                for &(place, _) in &self.columns {
                    self.open.push(group.get_column_reader(place).map_err(failed)?);
                }
            }
            let most = end - batch.rows();
            let mut counts = Vec::new();
            for ((pages, (_, kind)), cells) in
                self.open.iter_mut().zip(&self.columns).zip(&mut batch.columns)
            {
                counts.push(read(pages, *kind, most, cells)?);
            }
            let count = counts.first().copied().unwrap_or(0);
            if counts.iter().any(|&other| other != count) {
                return Err(damaged(format!(
                    "the columns of row group {} have different lengths",
                    self.next_group
                )));
            }
            if count == 0 {
                self.open.clear();
            }
            batch.numbers.extend(self.rows + 1..=self.rows + count as u64);
            self.rows += count as u64;
        }
        Ok(())
    }
}

/// Appends `most` rows of a column, fewer at the end of its row group; returns how many.
fn read(pages: &mut Pages, kind: Kind, most: usize, cells: &mut Cells) -> io::Result<usize> {
    match pages {
        Pages::BoolColumnReader(pages) => {
            numbers(pages, most, cells, |&value| f64::from(u8::from(value)))
        }
        Pages::Int32ColumnReader(pages) => {
            numbers(pages, most, cells, |&value| kind.of_int(value.into()))
        }
        Pages::Int64ColumnReader(pages) => numbers(pages, most, cells, |&value| kind.of_int(value)),
        Pages::FloatColumnReader(pages) => numbers(pages, most, cells, |&value| f64::from(value)),
        Pages::DoubleColumnReader(pages) => numbers(pages, most, cells, |&value| value),
        Pages::ByteArrayColumnReader(pages) => texts(pages, most, cells),
        _ => Err(damaged("a column is of another kind than its schema says")),
    }
}

/// The next rows of a column: its values; for each row 0 if it has none, unless all have one; and
/// how many rows there are.
fn records<T: DataType>(
    pages: &mut ColumnReaderImpl<T>,
    most: usize,
) -> io::Result<(Vec<T::T>, Vec<i16>, usize)> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut rows = 0;
    while rows < most {
        let read = pages.read_records(most - rows, Some(&mut levels), None, &mut values);
        let (records, ..) = read.map_err(failed)?;
        if records == 0 {
            break;
        }
        rows += records;
    }
    Ok((values, levels, rows))
}

fn numbers<T: DataType>(
    pages: &mut ColumnReaderImpl<T>,
    most: usize,
    cells: &mut Cells,
    number: impl Fn(&T::T) -> f64,
) -> io::Result<usize> {
    let (values, levels, rows) = records(pages, most)?;
    let Cells::Numbers(cells) = cells else { return Err(damaged("a column of two kinds")) };
    let mut values = values.iter().map(number);
    let mut next = || values.next().unwrap_or(f64::NAN);
    cells.extend((0..rows).map(|row| if levels.get(row) == Some(&0) { f64::NAN } else { next() }));
    Ok(rows)
}

fn texts<T: DataType<T = ByteArray>>(
    pages: &mut ColumnReaderImpl<T>,
    most: usize,
    cells: &mut Cells,
) -> io::Result<usize> {
    let (values, levels, rows) = records(pages, most)?;
    let mut values = values.iter();
    if matches!(cells, Cells::Numbers(_)) {
        *cells = Cells::Texts(Vec::new());
    }
    let Cells::Texts(cells) = cells else { return Err(damaged("a column of two kinds")) };
    for row in 0..rows {
        let value = if levels.get(row) == Some(&0) { None } else { values.next() };
        let text = value.map_or(Ok(""), |value| std::str::from_utf8(value.data()));
        cells.push(text.map_err(|_| damaged("a text is not UTF-8"))?.to_owned());
    }
    Ok(rows)
}
