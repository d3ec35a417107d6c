//! Gathering bytes that come one after another: in memory while they fit, else in an unnamed file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Bytes;
use crate::matrix::ReadSettings;
use crate::source::SourceError;

/// Bytes that are written to the file at once.
const CHUNK: usize = 1 << 20;

/// The error of the folder `scratch`, which does not take the entries.
pub(in crate::matrix) fn no_room(scratch: &Path, cause: &io::Error) -> SourceError {
    let what = format!(
        "{cause}; entries that do not fit the memory go to this folder: free some space, or name another with \
         --scratch"
    );
    SourceError::write(scratch, io::Error::other(what))
}

/// Takes bytes.
#[derive(Debug)]
pub(in crate::matrix) struct Gather {
    memory_bytes: usize,
    scratch: PathBuf,
    /// All bytes, or those that are not in the file yet.
    held: Vec<u8>,
    file: Option<File>,
}

impl Gather {
    /// Takes bytes into memory or the folder that `settings` name.
    pub(in crate::matrix) fn new(settings: &ReadSettings<'_>) -> Self {
        let memory_bytes = usize::try_from(settings.memory_bytes).unwrap_or(usize::MAX);
        Self { memory_bytes, scratch: settings.scratch.clone(), held: Vec::new(), file: None }
    }

    /// Appends a number.
    ///
    /// # Errors
    /// If the file cannot take it.
    pub(in crate::matrix) fn push(&mut self, number: f64) -> Result<(), SourceError> {
        self.extend(&number.to_ne_bytes())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the file cannot take them.
    pub(in crate::matrix) fn extend(&mut self, bytes: &[u8]) -> Result<(), SourceError> {
        let wanted = self.held.len() + bytes.len();
        let most = if self.file.is_some() { CHUNK } else { self.memory_bytes };
        if wanted > most {
            self.spill()?;
        } else if wanted > self.held.capacity() {
            // Doubling at the end would take twice what is allowed.
            let room = (2 * self.held.len()).max(CHUNK).min(most);
            self.held.reserve_exact(room.max(wanted) - self.held.len());
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Moves what is in memory to the file.
    fn spill(&mut self) -> Result<(), SourceError> {
        let failed = |cause| no_room(&self.scratch, &cause);
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.scratch).map_err(failed)?),
        };
        file.write_all(&self.held).map_err(failed)?;
        self.held.clear();
        self.held.shrink_to(CHUNK);
        Ok(())
    }

    /// Everything that came.
    ///
    /// # Errors
    /// If the file cannot take the rest.
    pub(in crate::matrix) fn finish(mut self) -> Result<Bytes, SourceError> {
        if self.file.is_some() {
            self.spill()?;
        }
        Ok(match self.file {
            Some(file) => Bytes::File { file, start: 0 },
            None => Bytes::Memory(self.held),
        })
    }
}
