//! Writing the column format: the lower triangle row by row, as mothur does.

use std::collections::HashSet;
use std::path::Path;

use tegula_kernels::element::Element;

use crate::matrix::phylip::words;
use crate::matrix::target::Target;
use crate::matrix::{Content, number};
use crate::source::{Block, Sink, SourceError};

/// A matrix that is being written.
#[derive(Debug)]
struct ColumnSink {
    target: Target,
    names: Vec<String>,
    text: String,
}

/// Begins a matrix at `path`.
pub(super) fn create(path: &Path, content: &Content<'_>) -> Result<Box<dyn Sink>, SourceError> {
    if content.shape[0] < 2 {
        let reason = "a matrix of one row has no pair, and this format holds pairs: write tsv";
        return Err(SourceError::invalid(path, reason));
    }
    let names = words(path, content)?;
    if let Some(name) = names.iter().find(|name| name.starts_with('#')) {
        let reason = format!("the name '{name}' would begin a comment: rename it, or write tsv");
        return Err(SourceError::invalid(path, reason));
    }
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        let reason =
            format!("two rows are called '{name}', and this format tells them by name: rename one");
        return Err(SourceError::invalid(path, reason));
    }
    let target = Target::text(path, content)?;
    Ok(Box::new(ColumnSink { target, names, text: String::new() }))
}

impl Sink for ColumnSink {
    fn grain(&self) -> [usize; 2] {
        self.target.grain()
    }

    fn element(&self) -> Element {
        self.target.element()
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        let element = self.element();
        for (row, entries) in self.target.rows(block, entries) {
            self.text.clear();
            for (column, entry) in entries.chunks_exact(element.bytes()).take(row).enumerate() {
                for name in [&self.names[row], &self.names[column]] {
                    self.text.push_str(name);
                    self.text.push(' ');
                }
                if !number::spell(&mut self.text, element, entry) {
                    return Err(number::not_finite(self.target.path(), row, column));
                }
                self.text.push('\n');
            }
            self.target.put(self.text.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        self.target.finish()
    }
}
