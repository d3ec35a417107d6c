//! Lines of a file with a sparse matrix, with their numbers, for messages.

use std::path::{Path, PathBuf};

use crate::source::SourceError;
use crate::text::{Text, longest_line, read_line};

/// The lines of a text, each no longer than the memory for reading allows.
pub(super) struct Lines {
    path: PathBuf,
    text: Text,
    line: Vec<u8>,
    number: u64,
    /// Bytes that reading may take.
    pub(super) memory_bytes: u64,
}

impl Lines {
    pub(super) fn open(path: &Path, memory_bytes: u64) -> Result<Self, SourceError> {
        let failed = |cause| SourceError::read(path, cause);
        let mut text = Text::open(path).map_err(failed)?;
        text.skip_mark().map_err(failed)?;
        Ok(Self { path: path.to_owned(), text, line: Vec::new(), number: 0, memory_bytes })
    }

    /// The next line without its end, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<&str>, SourceError> {
        self.line.clear();
        let most = longest_line(self.memory_bytes);
        let count = read_line(&mut self.text, &mut self.line, (self.number + 1, most))
            .map_err(|cause| SourceError::read(&self.path, cause))?;
        if count == 0 {
            return Ok(None);
        }
        self.number += 1;
        // Text is checked for that when it is read.
        let line = std::str::from_utf8(&self.line)
            .map_err(|_| fault(&self.path, self.number, "not UTF-8 text: save it as UTF-8"))?;
        Ok(Some(line.trim_end_matches(['\n', '\r'])))
    }

    /// The next line, which has to be there: it is `what`.
    pub(super) fn expect(&mut self, what: &str) -> Result<&str, SourceError> {
        // The borrow checker does not see that the first `?` ends the borrow.
        if self.next()?.is_none() {
            let reason = format!(
                "it ends after line {}, where {what} should follow: it was cut short, fetch or make it again",
                self.number
            );
            return Err(SourceError::invalid(&self.path, reason));
        }
        let line = std::str::from_utf8(&self.line).expect("it was checked");
        Ok(line.trim_end_matches(['\n', '\r']))
    }

    /// An error about the line that was read last.
    pub(super) fn fault(&self, what: impl std::fmt::Display) -> SourceError {
        fault(&self.path, self.number, what)
    }

    /// An error about the file.
    pub(super) fn unsupported(&self, what: impl std::fmt::Display) -> SourceError {
        SourceError::unsupported(&self.path, format!("line {}: {what}", self.number))
    }

    /// # Errors
    /// If `bytes` are more than the memory for reading.
    pub(super) fn check_memory(&self, bytes: u64, what: &str) -> Result<(), SourceError> {
        if bytes <= self.memory_bytes {
            return Ok(());
        }
        let most = self.memory_bytes >> 20;
        Err(self.fault(format_args!(
            "{what} take more than {most} MiB, the part of --memory that reading may take: allow more memory, or \
             correct the header if it is wrong"
        )))
    }
}

fn fault(path: &Path, line: u64, what: impl std::fmt::Display) -> SourceError {
    SourceError::invalid(path, format!("line {line}: {what}"))
}
