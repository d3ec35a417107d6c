//! Writing PHYLIP's matrices, with names that end at a blank.

use std::path::Path;

use tegula_kernels::element::Element;

use crate::matrix::target::Target;
use crate::matrix::{Content, number};
use crate::source::{Block, Sink, SourceError};

/// A matrix that is being written.
#[derive(Debug)]
struct PhylipSink {
    target: Target,
    names: Vec<String>,
    is_lower: bool,
    line: String,
}

/// Begins a matrix at `path`.
pub(super) fn create(
    path: &Path,
    content: &Content<'_>,
    is_lower: bool,
) -> Result<Box<dyn Sink>, SourceError> {
    let names = words(path, content)?;
    let mut target = Target::text(path, content)?;
    target.put(format!("{}\n", content.shape[0]).as_bytes())?;
    Ok(Box::new(PhylipSink { target, names, is_lower, line: String::new() }))
}

/// The names of the rows as single words; their numbers from 1 if they have none.
pub(in crate::matrix) fn words(
    path: &Path,
    content: &Content<'_>,
) -> Result<Vec<String>, SourceError> {
    let Some(names) = content.names[0].or(content.names[1]) else {
        return Ok((1..=content.shape[0]).map(|number| number.to_string()).collect());
    };
    let is_unfit = |name: &&String| name.is_empty() || name.contains(char::is_whitespace);
    match names.iter().find(is_unfit) {
        Some(name) => {
            let reason = format!(
                "names end at blanks in this format, and one is {name:?}: rename it, or write tsv"
            );
            Err(SourceError::invalid(path, reason))
        }
        None => Ok(names.to_vec()),
    }
}

impl Sink for PhylipSink {
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
            self.line.push_str(&self.names[row]);
            let there = if self.is_lower { row } else { self.names.len() };
            for (column, entry) in entries.chunks_exact(element.bytes()).take(there).enumerate() {
                self.line.push(' ');
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
