//! A column as texts, or as classes: the file is read again, since a table holds numbers only.

use std::collections::HashMap;

use super::cell::{Cell, push_number};
use super::columns::ColumnIndex;
use super::dialect::Decimal;
use super::parts::Kept;
use super::table::Table;
use crate::digest::Digest;
use crate::error::TableError;
use crate::text::{TextFault, text_bytes};

/// Rows of a file of columns that are looked at at a time.
const PART: usize = 1 << 14;

/// A column of few texts that occur often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The texts, each once, in the order in which they occur.
    pub names: Vec<String>,
    /// For each row the place of its text in `names`, none where it is missing.
    pub codes: Vec<Option<u32>>,
}

impl Table {
    /// The cells of a column as classes: numbers are taken as they are written, and what stands for
    /// a missing number is missing here, too.
    ///
    /// # Errors
    /// As [`Table::texts`].
    ///
    /// # Panics
    /// If there is no such column.
    pub fn classes(&self, column: ColumnIndex) -> Result<Classes, TableError> {
        let mut found: HashMap<String, u32> = HashMap::new();
        let (mut bytes, most) = (0, self.source.memory_bytes);
        let mut codes = Vec::with_capacity(self.rows());
        self.each_cell(column, &mut |text, line| {
            if Cell::parse(text, self.dialect().decimal) == Cell::Missing {
                codes.push(None);
                return Ok(());
            }
            let next = found.len() as u32;
            let code = match found.get(text) {
                Some(&code) => code,
                None => {
                    bytes += text_bytes(text);
                    check(bytes, most, line).map_err(|cause| self.source.unreadable(cause))?;
                    found.insert(text.to_owned(), next);
                    next
                }
            };
            codes.push(Some(code));
            Ok(())
        })?;
        let mut names: Vec<(String, u32)> = found.into_iter().collect();
        names.sort_unstable_by_key(|&(_, code)| code);
        Ok(Classes { names: names.into_iter().map(|(name, _)| name).collect(), codes })
    }

    /// The cells of a column, one for each row, without the blanks around them.
    ///
    /// # Errors
    /// [`TableError::Changed`] when the file that the table was read from is no longer the same; if
    /// they take more memory than reading may take.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn texts(&self, column: ColumnIndex) -> Result<Vec<String>, TableError> {
        let (mut texts, mut bytes, most) = (Vec::new(), 0, self.source.memory_bytes);
        self.each_cell(column, &mut |text, line| {
            bytes += text_bytes(text);
            check(bytes, most, line).map_err(|cause| self.source.unreadable(cause))?;
            texts.push(text.to_owned());
            Ok(())
        })?;
        Ok(texts)
    }

    /// Calls `see` with every cell of a column, without the blanks around it, and its line.
    fn each_cell(
        &self,
        column: ColumnIndex,
        see: &mut dyn FnMut(&str, u64) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let width = self.names().len();
        assert!(column.0 < width, "column {} of {width}", column.number());
        if let Some(kept) = &self.kept {
            let mut number = String::new();
            return (0..self.rows()).try_for_each(|row| {
                let cell = match &**kept {
                    Kept::Columns { .. } => kept.text(row, column.0),
                    Kept::Cells { .. } => kept.cells(row, width).nth(column.0),
                };
                if let Some(cell) = cell {
                    return see(cell.trim(), self.line(row));
                }
                number.clear();
                push_number(&mut number, self.columns[column.0].values[row], Decimal::Point);
                see(&number, self.line(row))
            });
        }
        if let Some(file) = self.stored_again()? {
            let (mut parts, mut rows) = (file.parts(PART)?, 0);
            while let Some(part) = parts.next_part()? {
                part.each_cell(column, see)?;
                rows += part.rows();
            }
            if rows != self.rows() || parts.digest() != Some(self.digest) {
                return Err(TableError::Changed { path: self.path().to_owned() });
            }
            return Ok(());
        }
        let mut records = self.source.records(self.dialect().delimiter)?;
        if self.has_header() {
            records.next_row()?;
        }
        let mut rows = 0;
        while let Some(row) = records.next_row()? {
            let Some(cell) = row.cells().nth(column.0) else { continue };
            see(cell.trim(), row.line)?;
            rows += 1;
        }
        if rows != self.rows() || Digest::finish(records.into_hasher()) != self.digest {
            return Err(TableError::Changed { path: self.path().to_owned() });
        }
        Ok(())
    }
}

/// Refuses more `bytes` of text, up to `line`, than there is memory for.
fn check(bytes: u64, most: u64, line: u64) -> std::io::Result<()> {
    if bytes > most { Err(TextFault::memory("the column of names", (line, most))) } else { Ok(()) }
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
    fn classes_are_texts_that_occur_again() {
        let text = "id;x\nb;1\na;2\n\"b\";3\nNA;4\n;5\n01;6\n";
        let table = Table::from_bytes("t.csv", text.into(), &ReadOptions::default());
        let classes = table.expect("a table").classes(ColumnIndex(0)).expect("the same bytes");
        assert_eq!(classes.names, ["b", "a", "01"]);
        assert_eq!(classes.codes, [Some(0), Some(1), Some(0), None, None, Some(2)]);
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
