//! A column as texts: the file is read again, since a table holds numbers only.

use std::io::Read;

use super::columns::ColumnIndex;
use super::records::Records;
use super::source::Source;
use super::table::Table;
use crate::digest::Digest;
use crate::error::TableError;
use crate::text::{TextFault, text_bytes};

impl Table {
    /// The cells of a column, one for each row, without the blanks around them.
    ///
    /// # Errors
    /// [`TableError::Changed`] when the file that the table was read from is no longer the same; if
    /// they take more memory than reading may take.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn texts(&self, column: ColumnIndex) -> Result<Vec<String>, TableError> {
        let (width, rows) = (self.names().len(), self.rows());
        assert!(column.0 < width, "column {} of {width}", column.number());
        let mut records = self.source.records(self.dialect().delimiter)?;
        if self.has_header() {
            records.next_row()?;
        }
        let texts = column_of(&mut records, column, &self.source)?;
        if texts.len() != rows || Digest::finish(records.into_hasher()) != self.digest {
            return Err(TableError::Changed { path: self.path().to_owned() });
        }
        Ok(texts)
    }
}

/// The cells of `column` in all rows that have it.
fn column_of<R: Read>(
    records: &mut Records<R>,
    column: ColumnIndex,
    source: &Source,
) -> Result<Vec<String>, TableError> {
    let (mut texts, mut bytes, most) = (Vec::new(), 0, source.memory_bytes);
    while let Some(row) = records.next_row()? {
        let Some(cell) = row.cells().nth(column.0) else { continue };
        bytes += text_bytes(cell.trim());
        if bytes > most {
            let cause = TextFault::memory("the column of names", (row.line, most));
            return Err(source.unreadable(cause));
        }
        texts.push(cell.trim().to_owned());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::super::shape::ReadOptions;
    use super::{ColumnIndex, Table, TableError};

    #[test]
    fn cells_are_read_as_they_stand() {
        let text = "id;x\n\" a;1 \";3,5\nNA;4\n# none\n7 ;5\n";
        let table = Table::from_bytes("t.csv", text.into(), &ReadOptions::default());
        let table = table.expect("a table");
        assert_eq!(table.texts(ColumnIndex(0)).expect("the same bytes"), ["a;1", "NA", "7"]);
        assert_eq!(table.texts(ColumnIndex(1)).expect("the same bytes"), ["3,5", "4", "5"]);
    }

    #[test]
    fn a_file_that_has_changed_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "id,x\na,1\nb,2\n").expect("a file");
        let table = Table::read(&path).expect("a table");
        std::fs::write(&path, "id,x\na,1\nc,2\n").expect("a file");
        let error = table.texts(ColumnIndex(0)).expect_err("another file");
        assert!(matches!(error, TableError::Changed { .. }), "{error}");
    }
}
