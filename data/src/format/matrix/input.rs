//! Text files: opened, decompressed, cut into lines, with what can go wrong on the way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

use crate::source::SourceError;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The first bytes of the file at `path`, `most` of them or all.
///
/// # Errors
/// If it cannot be read, or is no file that can be read again.
pub(super) fn first_bytes(path: &Path, most: usize) -> Result<Vec<u8>, SourceError> {
    let failed = |cause| SourceError::read(path, cause);
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if about.is_dir() {
        return Err(SourceError::invalid(path, "it is a folder; name a file in it"));
    }
    if !about.is_file() {
        let reason = "it is no file on disk, which is read more than once: save it first";
        return Err(SourceError::invalid(path, reason));
    }
    let mut start = Vec::new();
    file.take(most as u64).read_to_end(&mut start).map_err(failed)?;
    Ok(start)
}

/// The error of a file without anything in it.
pub(super) fn empty(path: &Path) -> SourceError {
    SourceError::invalid(path, "it is empty")
}

/// A text file, decompressed.
pub(super) struct Opened {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    /// Lines that were read.
    line: u64,
}

impl Opened {
    /// Opens `path`; its first bytes tell whether it is compressed.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn new(path: &Path) -> Result<Self, SourceError> {
        let start = first_bytes(path, 4)?;
        let file = File::open(path).map_err(|cause| SourceError::read(path, cause))?;
        let file = BufReader::with_capacity(CHUNK, file);
        let reader: Box<dyn BufRead> = match &start[..] {
            [0x1f, 0x8b, ..] => {
                Box::new(BufReader::with_capacity(CHUNK, MultiGzDecoder::new(file)))
            }
            [b'B', b'Z', b'h', b'1'..=b'9'] => {
                Box::new(BufReader::with_capacity(CHUNK, MultiBzDecoder::new(file)))
            }
            _ => Box::new(file),
        };
        Ok(Self { path: path.to_owned(), reader, line: 0 })
    }

    /// The bytes.
    pub(super) fn into_reader(self) -> Box<dyn BufRead> {
        self.reader
    }

    /// Number of the line that was read last, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next line that is not blank into `text`, without its end; false at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read or is not UTF-8.
    pub(super) fn next(&mut self, text: &mut String) -> Result<bool, SourceError> {
        let mut bytes = std::mem::take(text).into_bytes();
        loop {
            bytes.clear();
            let read = self.reader.read_until(b'\n', &mut bytes);
            let count = read.map_err(|cause| unreadable(&self.path, cause))?;
            if count == 0 {
                return Ok(false);
            }
            self.line += 1;
            if !bytes.trim_ascii().is_empty() {
                break;
            }
        }
        let read = String::from_utf8(bytes).map_err(|_| not_utf8(&self.path, self.line))?;
        *text = read;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
        if self.line == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        Ok(true)
    }

    /// The first lines that are neither blank nor comments, at most `most`.
    ///
    /// # Errors
    /// If they cannot be read or are not UTF-8.
    pub(super) fn first_lines(mut self, most: usize) -> Result<Vec<String>, SourceError> {
        let mut lines = Vec::new();
        let mut text = String::new();
        while lines.len() < most && self.next(&mut text)? {
            if !text.starts_with('#') {
                lines.push(std::mem::take(&mut text));
            }
        }
        Ok(lines)
    }
}

/// The error of a file that `cause` stopped.
pub(super) fn unreadable(path: &Path, cause: io::Error) -> SourceError {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            let reason = format!(
                "its compressed data are damaged or end too early ({cause}): fetch or make it again"
            );
            SourceError::invalid(path, reason)
        }
        _ => SourceError::read(path, cause),
    }
}

/// The error of bytes in `line` that are not UTF-8.
pub(super) fn not_utf8(path: &Path, line: u64) -> SourceError {
    let reason =
        format!("line {line} is not UTF-8 text: convert it first (iconv -f latin1 -t utf8)");
    SourceError::invalid(path, reason)
}
