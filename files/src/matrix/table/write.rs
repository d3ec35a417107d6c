//! Writing tables.

use std::path::Path;

use tegula_kernels::element::Element;

use crate::csv::Decimal;
use crate::csv::cell::Cell;
use crate::matrix::target::Target;
use crate::matrix::{Content, number};
use crate::source::{Block, Sink, SourceError};

/// A table that is being written.
#[derive(Debug)]
struct TableSink {
    target: Target,
    delimiter: char,
    /// The names of rows as they are written, an empty one for each if there are none but they have
    /// a column.
    row_names: Option<Vec<String>>,
    line: String,
}

/// Begins a table at `path` with `delimiter` between cells.
pub(super) fn create(
    path: &Path,
    content: &Content<'_>,
    delimiter: char,
) -> Result<Box<dyn Sink>, SourceError> {
    let [rows, columns] = content.names;
    for names in [rows, columns].into_iter().flatten() {
        check_names(path, names)?;
    }
    let mut target = Target::text(path, content)?;
    let quote = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>();
    let none = |length: usize| vec![String::new(); length];
    let mut row_names = rows.map(quote);
    // Names that are numbers would be taken for entries if nothing stood before them.
    let is_text = |name: &String| matches!(Cell::parse(name, Decimal::Point), Cell::Text);
    let is_plain = columns.is_some_and(|names| names.iter().all(is_text));
    let header = match (&row_names, columns) {
        (None, None) => None,
        (None, Some(names)) if is_plain && !super::is_corner(&names[0]) => Some(quote(names)),
        _ => {
            row_names.get_or_insert_with(|| none(content.shape[0]));
            let names = columns.map_or_else(|| none(content.shape[1]), quote);
            Some([vec!["id".to_owned()], names].concat())
        }
    };
    if let Some(cells) = header {
        target.put((cells.join(&delimiter.to_string()) + "\n").as_bytes())?;
    }
    Ok(Box::new(TableSink { target, delimiter, row_names, line: String::new() }))
}

/// Refuses names that would not come back.
fn check_names(path: &Path, names: &[String]) -> Result<(), SourceError> {
    let is_unfit = |name: &&String| name.contains(['\n', '\r']) || name.trim() != **name;
    names.iter().find(is_unfit).map_or(Ok(()), |name| {
        let reason = format!(
            "the name {name:?} would not be read back, with its line end or the blanks around it: rename it"
        );
        Err(SourceError::invalid(path, reason))
    })
}

/// `name` as a cell, in quotes where a reader that looks for the delimiter might take a part of it
/// for one.
fn quoted(name: &str) -> String {
    if name.contains([',', ';', '\t', '|', ' ', '"']) || name.starts_with('#') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

impl Sink for TableSink {
    fn grain(&self) -> [usize; 2] {
        self.target.grain()
    }

    fn element(&self) -> Element {
        self.target.element()
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        let element = self.element();
        for (row, entries) in self.target.rows(block, entries) {
            self.line.clear();
            if let Some(names) = &self.row_names {
                self.line.push_str(&names[row]);
                self.line.push(self.delimiter);
            }
            for (column, entry) in entries.chunks_exact(element.bytes()).enumerate() {
                if column > 0 {
                    self.line.push(self.delimiter);
                }
                if !number::spell(&mut self.line, element, entry) {
                    return Err(number::not_finite(self.target.path(), row, column));
                }
            }
            self.line.push('\n');
            self.target.put(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        self.target.finish()
    }
}
