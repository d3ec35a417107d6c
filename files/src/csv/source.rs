//! Where a table comes from: a file that can be read again, or bytes held because it cannot.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dialect::Delimiter;
use super::records::Records;
use crate::error::TableError;
use crate::text::{Text, TextFault, longest_line};

/// Parts of the memory for reading of which one may hold the bytes of a pipe.
const HELD_PARTS: u64 = 2;

/// A file, or the bytes of something that can be read only once (a pipe).
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    held: Option<Arc<[u8]>>,
    /// Bytes of memory that reading may take.
    pub(super) memory_bytes: u64,
}

impl Source {
    /// Looks at `path`; a pipe or a device is read to its end here and held, in half of
    /// `memory_bytes` at most.
    pub(super) fn open(path: &Path, memory_bytes: u64) -> Result<Self, TableError> {
        let path = path.to_owned();
        let opened = |cause| TableError::Open { path: path.clone(), cause };
        if fs::metadata(&path).map_err(opened)?.is_dir() {
            return Err(TableError::Folder { path });
        }
        let file = File::open(&path).map_err(opened)?;
        let is_file = file.metadata().map_err(opened)?.is_file();
        let failed = |cause| TableError::Read { path: path.clone(), cause };
        let text = Text::new(file).map_err(failed)?;
        let held = if is_file { None } else { Some(hold(text, memory_bytes).map_err(failed)?) };
        Ok(Self { path, held, memory_bytes })
    }

    /// Bytes that are in memory already; `name` stands for the path in messages.
    pub(super) fn hold(name: &Path, bytes: Vec<u8>, memory_bytes: u64) -> Self {
        Self { path: name.to_owned(), held: Some(bytes.into()), memory_bytes }
    }

    /// A reader from the first byte.
    pub(super) fn reader(&self) -> Result<Text, TableError> {
        let text = match &self.held {
            Some(bytes) => Text::new(io::Cursor::new(Arc::clone(bytes))),
            None => match File::open(&self.path) {
                Ok(file) => Text::new(file),
                Err(cause) => return Err(TableError::Open { path: self.path.clone(), cause }),
            },
        };
        text.map_err(|cause| self.unreadable(cause))
    }

    /// The rows, cut at `delimiter`.
    pub(super) fn records(&self, delimiter: Delimiter) -> Result<Records<Text>, TableError> {
        let cut = (delimiter, self.longest_row());
        Ok(Records::new(self.path.clone(), self.reader()?, cut))
    }

    /// The error of a file that `cause` stopped.
    pub(super) fn unreadable(&self, cause: io::Error) -> TableError {
        TableError::Read { path: self.path.clone(), cause }
    }

    /// Bytes that a row may have.
    pub(super) fn longest_row(&self) -> u64 {
        longest_line(self.memory_bytes)
    }

    /// The first lines: at least `wanted` bytes cut after the last line end, or the first line if
    /// it is longer, or all there is.
    ///
    /// # Errors
    /// Those of reading; if the first line is longer than a row may be.
    pub(super) fn head(&self, wanted: usize) -> Result<Vec<u8>, TableError> {
        let mut reader = self.reader()?;
        let mut head = Vec::new();
        loop {
            let count = Read::take(&mut reader, wanted as u64)
                .read_to_end(&mut head)
                .map_err(|cause| self.unreadable(cause))?;
            if count < wanted {
                return Ok(head);
            }
            // There is none in what came before.
            let last = head.len() - count;
            let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
            if let Some(end) = head[last..].iter().rposition(is_end) {
                head.truncate(last + end + 1);
                return Ok(head);
            }
            let most = self.longest_row();
            if head.len() as u64 > most {
                return Err(self.unreadable(TextFault::LongLine { line: 1, most }.into()));
            }
        }
    }
}

/// All of `text`, which may take half of `memory_bytes`.
fn hold(mut text: Text, memory_bytes: u64) -> io::Result<Arc<[u8]>> {
    let (most, longest) = (memory_bytes / HELD_PARTS, longest_line(memory_bytes));
    let (mut bytes, mut line, mut line_start) = (Vec::new(), 1, 0);
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = text.read(&mut chunk)?;
        if count == 0 {
            return Ok(bytes.into());
        }
        let ends =
            chunk[..count].iter().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r'));
        for (at, _) in ends {
            (line, line_start) = (line + 1, bytes.len() + at);
        }
        bytes.extend_from_slice(&chunk[..count]);
        if bytes.len() as u64 > most {
            return Err(TextFault::memory("what came through the pipe", (line, most)));
        }
        if (bytes.len() - line_start) as u64 > longest {
            return Err(TextFault::LongLine { line, most: longest }.into());
        }
    }
}
