//! Writing a whole file or none of it: a temporary file beside it, flushed to disk, then renamed
//! over it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::error::WriteError;

/// Writes `path` through `fill`, so that a reader sees the old file or the whole new one, also
/// after a crash.
///
/// The bytes go to a hidden file in the same folder, are flushed to disk, and the file is renamed
/// to `path`. A symbolic link is followed; the permissions of a file that is replaced are kept.
/// What is no regular file (`/dev/stdout`, a pipe) is written to directly.
///
/// # Errors
/// [`WriteError`] when the folder is missing or closed, the disk is full, or `fill` fails for a
/// reason of input and output; an error that `fill` makes itself, as it is. In each case the
/// temporary file is removed and `path` is as it was.
pub fn write_atomically<E: From<WriteError>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FillError<E>>,
) -> Result<(), E> {
    let failed = |cause| E::from(WriteError { path: path.to_owned(), cause });
    let (file, unfinished) = Unfinished::create(path).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    fill(&mut writer).map_err(|error| match error {
        FillError::File(cause) => failed(cause),
        FillError::Content(error) => error,
    })?;
    let file = writer.into_inner().map_err(|error| failed(error.into_error()))?;
    let Some(unfinished) = unfinished else { return Ok(()) };
    file.sync_all().and_then(|()| unfinished.finish()).map_err(failed)
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

/// A file in the making: it has another, hidden name in its folder until it is whole, and is
/// removed if it never is.
#[derive(Debug)]
pub(crate) struct Unfinished {
    temporary: Temporary,
    target: PathBuf,
    /// Those of the file that it replaces.
    permissions: Option<Permissions>,
}

impl Unfinished {
    /// What becomes the file `path`, or the file that it links to; none if something else than a
    /// file is there. It is not made yet.
    pub(crate) fn new(path: &Path) -> io::Result<Option<Self>> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|there| !there.is_file()) {
            return Ok(None);
        }
        let temporary = Temporary::next_to(&target)?;
        let permissions = existing.map(|there| there.permissions());
        Ok(Some(Self { temporary, target, permissions }))
    }

    /// Makes it; what is there and no file (`/dev/stdout`, a pipe) is opened as it is.
    pub(crate) fn create(path: &Path) -> io::Result<(File, Option<Self>)> {
        let mut options = OpenOptions::new();
        options.write(true);
        let Some(new) = Self::new(path)? else { return Ok((options.open(path)?, None)) };
        let file = options.create_new(true).open(new.path())?;
        new.keep_permissions()?;
        Ok((file, Some(new)))
    }

    /// Where it is until it is finished.
    pub(crate) fn path(&self) -> &Path {
        &self.temporary.0
    }

    /// Gives it the permissions of the file that it replaces.
    pub(crate) fn keep_permissions(&self) -> io::Result<()> {
        self.permissions.clone().map_or(Ok(()), |those| fs::set_permissions(self.path(), those))
    }

    /// Gives it its name. That is durable on file systems that can; the file is whole either way.
    pub(crate) fn finish(&self) -> io::Result<()> {
        fs::rename(self.path(), &self.target)?;
        if let Ok(folder) = File::open(folder_of(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// The temporary files that there are.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files of this process, which ends now: no more are made, and writers wait.
pub fn remove_temporaries() {
    let temporaries = TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner);
    for path in temporaries.iter() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(temporaries);
}

/// A file that is removed when it goes out of scope, unless it has another name by then.
#[derive(Debug)]
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Temporary {
    /// One with a name in the folder of `target` that no other writer of this machine uses.
    pub(crate) fn next_to(target: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = target
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        hidden.push(format!(".{}.{count}.tmp", std::process::id()));
        let path = target.with_file_name(hidden);
        TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Nothing better can be done about a failure here, and the cause of it has been reported
        // already.
        let _ = fs::remove_file(&self.0);
        let mut all = TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|path| *path != self.0);
    }
}

/// Removes temporary files that writers of `target` have left who were killed. None may be at it
/// now.
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

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
