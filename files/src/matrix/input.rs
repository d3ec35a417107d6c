//! Files of matrices: their first bytes, and texts cut into lines, with what can go wrong on the
//! way.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use crate::source::SourceError;
use crate::text::{Text, TextFault, longest_line, read_line};

/// Bytes of first lines that are enough.
const LONG: usize = 1 << 20;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The first bytes of the file at `path`, `most` of them or all.
///
/// # Errors
/// If it cannot be read, or is no file that can be read again.
pub(super) fn first_bytes(path: &Path, most: usize) -> Result<Vec<u8>, SourceError> {
    let file = require_file(path)?;
    let mut start = Vec::new();
    let read = file.take(most as u64).read_to_end(&mut start);
    read.map_err(|cause| SourceError::read(path, cause))?;
    Ok(start)
}

/// Opens `path`, which has to be a file that can be read again.
fn require_file(path: &Path) -> Result<File, SourceError> {
    let failed = |cause| SourceError::read(path, cause);
    // Opening a pipe would wait for who writes to it.
    let about = std::fs::metadata(path).map_err(failed)?;
    if about.is_dir() {
        return Err(SourceError::invalid(path, "it is a folder; name a file in it"));
    }
    if !about.is_file() {
        let reason = "it is no file on disk, which is read more than once: save it first";
        return Err(SourceError::invalid(path, reason));
    }
    File::open(path).map_err(failed)
}

/// The error of a file without anything in it.
pub(super) fn empty(path: &Path) -> SourceError {
    SourceError::invalid(path, "it is empty")
}

/// A text file that is read line by line.
pub(super) struct Opened {
    path: PathBuf,
    text: Text,
    /// Lines that were read.
    line: u64,
    /// Bytes that a line may have.
    most: u64,
}

impl Opened {
    /// Opens the text at `path`, of which reading may keep `memory_bytes`.
    ///
    /// # Errors
    /// If it cannot be opened, or is no text.
    pub(super) fn new(path: &Path, memory_bytes: u64) -> Result<Self, SourceError> {
        require_file(path)?;
        let text = Text::open(path).map_err(|cause| unreadable(path, cause))?;
        Ok(Self { path: path.to_owned(), text, line: 0, most: longest_line(memory_bytes) })
    }

    /// The bytes.
    pub(super) fn into_text(self) -> Text {
        self.text
    }

    /// Bytes that were taken from the file so far.
    pub(super) fn bytes_taken(&self) -> u64 {
        self.text.bytes_taken()
    }

    /// Number of the line that was read last, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next line that is not blank into `text`, without its end; false at the end of the
    /// file.
    ///
    /// # Errors
    /// If it cannot be read, is too long or not UTF-8.
    pub(super) fn next(&mut self, text: &mut String) -> Result<bool, SourceError> {
        let mut bytes = std::mem::take(text).into_bytes();
        loop {
            bytes.clear();
            let read = read_line(&mut self.text, &mut bytes, (self.line + 1, self.most));
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

    /// The first lines that are neither blank nor comments, at most `most`, and two at most where
    /// they are long.
    ///
    /// # Errors
    /// If they cannot be read, are too long or not UTF-8.
    pub(super) fn first_lines(mut self, most: usize) -> Result<Vec<String>, SourceError> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        let mut text = String::new();
        while lines.len() < most && (lines.len() < 2 || bytes < LONG) && self.next(&mut text)? {
            if !text.starts_with('#') {
                bytes += text.len();
                lines.push(std::mem::take(&mut text));
            }
        }
        Ok(lines)
    }

    /// How the first lines begin that are neither blank nor comments, at most `most`: as many of
    /// them as the first bytes of the file hold. A line that is cut is the last, and the only one.
    ///
    /// # Errors
    /// If they cannot be read or are not UTF-8.
    pub(super) fn line_starts(mut self, most: usize) -> Result<Vec<String>, SourceError> {
        let mut bytes = Vec::new();
        self.text.skip_mark().map_err(|cause| unreadable(&self.path, cause))?;
        let read = self.text.by_ref().take(LONG as u64).read_to_end(&mut bytes);
        let is_cut = read.map_err(|cause| unreadable(&self.path, cause))? == LONG;
        let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        if is_cut && lines.len() > 1 {
            lines.pop();
        }
        let mut starts = Vec::new();
        for (number, line) in (1..).zip(lines) {
            let is_line = !line.trim_ascii().is_empty() && !line.starts_with(b"#");
            if is_line && starts.len() < most {
                let is_damaged = |error: Utf8Error| !is_cut || error.error_len().is_some();
                if std::str::from_utf8(line).is_err_and(is_damaged) {
                    return Err(not_utf8(&self.path, number));
                }
                starts.push(String::from_utf8_lossy(line).trim_end_matches('\r').to_owned());
            }
        }
        Ok(starts)
    }
}

/// Bytes of the text in the file at `path`, decompressed, found without parsing it.
///
/// # Errors
/// If it cannot be read.
pub(super) fn text_bytes(path: &Path) -> Result<u64, SourceError> {
    let failed = |cause| unreadable(path, cause);
    let mut text = Text::open(path).map_err(failed)?;
    if text.is_compressed() {
        return io::copy(&mut text, &mut io::sink()).map_err(failed);
    }
    Ok(std::fs::metadata(path).map_err(failed)?.len())
}

/// The error of a file that `cause` stopped.
pub(super) fn unreadable(path: &Path, cause: io::Error) -> SourceError {
    if TextFault::of(&cause).is_some() {
        return SourceError::invalid(path, cause.to_string());
    }
    SourceError::read(path, cause)
}

/// The error of names that take too much memory.
pub(super) fn too_many_names(path: &Path, line: u64, most: u64) -> SourceError {
    unreadable(path, TextFault::memory("the list of names", (line, most)))
}

/// The error of bytes in `line` that are not UTF-8.
pub(super) fn not_utf8(path: &Path, line: u64) -> SourceError {
    let reason =
        format!("line {line} is not UTF-8 text: convert it first (iconv -f latin1 -t utf8)");
    SourceError::invalid(path, reason)
}
