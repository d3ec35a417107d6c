//! Where a table comes from: a file that can be read again, or bytes held because it cannot.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::format::error::TableError;

/// A file, or the bytes of something that can be read only once (a pipe).
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    held: Option<Arc<[u8]>>,
}

impl Source {
    /// Looks at `path`; a pipe or a device is read to its end here and held.
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let path = path.to_owned();
        let mut file =
            File::open(&path).map_err(|cause| TableError::Open { path: path.clone(), cause })?;
        let kind =
            file.metadata().map_err(|cause| TableError::Open { path: path.clone(), cause })?;
        if kind.is_dir() {
            return Err(TableError::Folder { path });
        }
        let mut held = None;
        if !kind.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)
                .map_err(|cause| TableError::Read { path: path.clone(), cause })?;
            held = Some(bytes.into());
        }
        Ok(Self { path, held })
    }

    /// Bytes that are in memory already; `name` stands for the path in messages.
    pub(super) fn hold(name: &Path, bytes: Vec<u8>) -> Self {
        Self { path: name.to_owned(), held: Some(bytes.into()) }
    }

    /// A reader from the first byte.
    pub(super) fn reader(&self) -> Result<Box<dyn Read>, TableError> {
        match &self.held {
            Some(bytes) => Ok(Box::new(io::Cursor::new(Arc::clone(bytes)))),
            None => match File::open(&self.path) {
                Ok(file) => Ok(Box::new(file)),
                Err(cause) => Err(TableError::Open { path: self.path.clone(), cause }),
            },
        }
    }

    /// The first lines: at least `wanted` bytes cut after the last line end, or the first line if it is longer, or all
    /// there is.
    pub(super) fn head(&self, wanted: usize) -> Result<Vec<u8>, TableError> {
        let mut reader = self.reader()?;
        let mut head = Vec::new();
        loop {
            let count = Read::take(&mut reader, wanted as u64)
                .read_to_end(&mut head)
                .map_err(|cause| TableError::Read { path: self.path.clone(), cause })?;
            if count < wanted {
                return Ok(head);
            }
            if let Some(end) = head.iter().rposition(|&byte| byte == b'\n' || byte == b'\r') {
                head.truncate(end + 1);
                return Ok(head);
            }
        }
    }
}
