//! Names that are read one after the other, as long as there is memory for them.

use std::path::Path;

use super::input::too_many_names;
use crate::source::SourceError;
use crate::text;

/// Copies of a name that are kept in the end: of the rows, of the columns, and of who reads the
/// matrix.
const COPIES: u64 = 3;
/// Bytes that names may take in any case.
const LEAST: u64 = 16 << 20;

/// Names, and what they take.
#[derive(Debug)]
pub(super) struct NameList {
    names: Vec<String>,
    bytes: u64,
    most: u64,
}

impl NameList {
    /// No names yet, where reading may keep `memory_bytes`.
    pub(super) fn new(memory_bytes: u64) -> Self {
        Self { names: Vec::new(), bytes: 0, most: memory_bytes.max(LEAST) }
    }

    /// Appends the name in `line` of the file at `path`.
    ///
    /// # Errors
    /// If there is no more memory for names.
    pub(super) fn push(
        &mut self,
        name: &str,
        (path, line): (&Path, u64),
    ) -> Result<(), SourceError> {
        self.bytes += COPIES * text::text_bytes(name);
        if self.bytes > self.most {
            return Err(too_many_names(path, line, self.most));
        }
        self.names.push(name.to_owned());
        Ok(())
    }

    /// All of them.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// All of them.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}
