//! A table with further columns: the rows of the file are read again and repeated cell by cell.

use std::io::{self, Write};
use std::path::Path;

use super::cell::push_number;
use super::parts::{PartWriter, TableFile};
use super::records::Records;
use super::table::Table;
use super::write::{NamedValues, RowWriter};
use crate::atomic::{FillError, write_atomically};
use crate::digest::Digest;
use crate::error::TableError;

/// Rows of a file of columns that are copied at a time.
const PART: usize = 1 << 14;

impl Table {
    /// Writes every row of the file to `path`, each cell as it stands there, followed by `extra`;
    /// all of it or nothing.
    ///
    /// Delimiter and decimals are those of the file, but runs of blanks become tabs; quotes are set
    /// anew where they are needed. Comments and blank lines are left out. A header is written in
    /// any case; where the file has none, its columns are called 1, 2, and so on. A NaN is written
    /// as `NA`.
    ///
    /// # Errors
    /// [`TableError::Write`] when `path` cannot be written, [`TableError::Changed`] when the file
    /// that the table was read from is no longer the same.
    ///
    /// # Panics
    /// If a column of `extra` has not one value for each row.
    pub fn write_with(&self, path: &Path, extra: &[NamedValues<'_>]) -> Result<(), TableError> {
        write_atomically(path, |out| self.fill_with(out, extra))
    }

    /// As [`Table::write_with`], to `out`. What `out` has taken before an error stays there.
    ///
    /// # Errors
    /// Those of `out`, as [`FillError::File`]; [`TableError::Changed`] as [`FillError::Content`].
    ///
    /// # Panics
    /// If a column of `extra` has not one value for each row.
    pub fn fill_with(
        &self,
        out: &mut dyn Write,
        extra: &[NamedValues<'_>],
    ) -> Result<(), FillError<TableError>> {
        extra.iter().for_each(|column| column.assert_rows(self.rows()));
        if let Some(file) = self.stored_again().map_err(FillError::Content)? {
            return self.fill_stored(out, &file, extra);
        }
        let records = self.source.records(self.dialect().delimiter);
        let mut records = records.map_err(FillError::Content)?;
        let mut rows_out = RowWriter::new(out, self.dialect().for_output());
        rows_out.write(self.names().iter().map(String::as_str), extra.iter().map(|c| c.name))?;
        if self.has_header() {
            records.next_row().map_err(FillError::Content)?;
        }
        let rows = self.copy_rows(&mut records, &mut rows_out, extra)?;
        if rows != self.rows() || Digest::finish(records.into_hasher()) != self.digest {
            return Err(FillError::Content(self.changed()));
        }
        Ok(rows_out.finish()?)
    }

    /// As [`Table::fill_with`], of a table that is of `file`.
    fn fill_stored(
        &self,
        out: &mut dyn Write,
        file: &TableFile,
        extra: &[NamedValues<'_>],
    ) -> Result<(), FillError<TableError>> {
        let names: Vec<String> = extra.iter().map(|column| column.name.to_owned()).collect();
        let mut writer = PartWriter::new(out, self.dialect(), (self.names(), &names))?;
        let mut parts = file.parts(PART).map_err(FillError::Content)?;
        let mut rows = 0;
        while let Some(part) = parts.next_part().map_err(FillError::Content)? {
            let end = rows + part.rows();
            if end > self.rows() {
                return Err(FillError::Content(self.changed()));
            }
            let more: Vec<Vec<f64>> =
                extra.iter().map(|column| column.values[rows..end].to_vec()).collect();
            writer.write(&part, &more)?;
            rows = end;
        }
        if rows != self.rows() || parts.digest() != Some(self.digest) {
            return Err(FillError::Content(self.changed()));
        }
        Ok(writer.finish()?)
    }

    /// Copies row after row and returns how many there were.
    fn copy_rows<R: io::Read>(
        &self,
        records: &mut Records<R>,
        rows_out: &mut RowWriter<'_>,
        extra: &[NamedValues<'_>],
    ) -> Result<usize, FillError<TableError>> {
        let decimal = self.dialect().decimal;
        let mut number = String::new();
        let mut rows = 0;
        while let Some(row) = records.next_row().map_err(FillError::Content)? {
            if rows == self.rows() || row.width() != self.shape.width {
                return Err(FillError::Content(self.changed()));
            }
            row.cells().try_for_each(|cell| rows_out.cell(cell))?;
            for column in extra {
                number.clear();
                push_number(&mut number, column.values[rows], decimal);
                rows_out.cell(&number)?;
            }
            rows_out.end_row()?;
            rows += 1;
        }
        Ok(rows)
    }

    fn changed(&self) -> TableError {
        TableError::Changed { path: self.path().to_owned() }
    }
}
