//! Writing a whole file or none of it: a temporary file beside it, flushed to disk, then renamed over it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::WriteError;

/// Writes `path` through `fill`, so that a reader sees the old file or the whole new one, also after a crash.
///
/// The bytes go to a hidden file in the same folder, are flushed to disk, and the file is renamed to `path`. A symbolic
/// link is followed; the permissions of a file that is replaced are kept. What is no regular file (`/dev/stdout`, a
/// pipe) is written to directly.
///
/// # Errors
/// [`WriteError`] when the folder is missing or closed, the disk is full, or `fill` fails for a reason of input and
/// output; an error that `fill` makes itself, as it is. In each case the temporary file is removed and `path` is as it
/// was.
pub fn write_atomically<E: From<WriteError>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FillError<E>>,
) -> Result<(), E> {
    let failed = |cause| E::from(WriteError { path: path.to_owned(), cause });
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    match &existing {
        Some(there) if there.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
        Some(there) if !there.is_file() => {
            let file = OpenOptions::new().write(true).open(&target).map_err(failed)?;
            return fill_file(file, fill, false).map_err(|error| error.for_path(path));
        }
        _ => {}
    }
    let temporary = Temporary(name_beside(&target).map_err(failed)?);
    let file =
        OpenOptions::new().write(true).create_new(true).open(&temporary.0).map_err(failed)?;
    if let Some(there) = existing {
        file.set_permissions(there.permissions()).map_err(failed)?;
    }
    fill_file(file, fill, true).map_err(|error| error.for_path(path))?;
    fs::rename(&temporary.0, &target).map_err(failed)?;
    sync_folder_of(&target);
    Ok(())
}

/// Why filling a file failed: the file itself, or what was to be written into it.
#[derive(Debug)]
pub enum FillError<E> {
    /// The file could not take the bytes.
    File(io::Error),
    /// The bytes could not be made.
    Content(E),
}

impl<E> From<io::Error> for FillError<E> {
    fn from(source: io::Error) -> Self {
        Self::File(source)
    }
}

impl<E: From<WriteError>> FillError<E> {
    fn for_path(self, path: &Path) -> E {
        match self {
            Self::File(cause) => WriteError { path: path.to_owned(), cause }.into(),
            Self::Content(error) => error,
        }
    }
}

/// A file that is removed when it goes out of scope; after the rename there is nothing left to remove.
#[derive(Debug)]
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Nothing better can be done about a failure here, and the cause of it has been reported already.
        let _ = fs::remove_file(&self.0);
    }
}

/// A name in the folder of `target` that no other writer of this machine uses.
pub(crate) fn name_beside(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    hidden.push(format!(".{}.{count}.tmp", std::process::id()));
    Ok(target.with_file_name(hidden))
}

/// Removes temporary files that writers of `target` have left who were killed. None may be at it now.
pub(crate) fn remove_leftovers(target: &Path) {
    let Some(name) = target.file_name().and_then(OsStr::to_str) else { return };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_left = |file: &OsStr| {
        let rest = file.to_str().and_then(|file| file.strip_prefix('.')?.strip_prefix(name));
        let numbers = rest.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".tmp"));
        let both = numbers.and_then(|numbers| numbers.split_once('.'));
        both.is_some_and(|(process, count)| is_number(process) && is_number(count))
    };
    let entries = fs::read_dir(folder_of(target)).into_iter().flatten().flatten();
    for left in entries.filter(|entry| is_left(&entry.file_name())) {
        let _ = fs::remove_file(left.path());
    }
}

fn fill_file<E>(
    file: File,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FillError<E>>,
    durable: bool,
) -> Result<(), FillError<E>> {
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    fill(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if durable {
        file.sync_all()?;
    }
    Ok(())
}

/// Makes the rename itself durable, on file systems that can; the file is whole either way.
pub(super) fn sync_folder_of(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
