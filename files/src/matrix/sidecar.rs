//! The text file with names, one per line, beside a binary matrix that has no place for them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Content;
use super::input::Opened;
use crate::error::WriteError;
use crate::source::SourceError;
use crate::write_atomically;

/// End of the name of such a file.
const ENDING: &str = "names";

/// `D.npy.names` beside `D.npy`.
fn after(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    name.into()
}

/// The file with names beside the matrix at `path`, if there is one: with `.names` after its name,
/// or instead of its end.
#[must_use]
pub fn names_file(path: &Path) -> Option<PathBuf> {
    [after(path), path.with_extension(ENDING)].into_iter().find(|path| path.is_file())
}

/// The names beside `path` for a matrix of this `shape`, if there are some. They are those of the
/// rows, and of the columns too if the matrix is square.
///
/// # Errors
/// If there is such a file and it cannot be read or has another number of lines.
pub(super) fn read(
    path: &Path,
    [m, n]: [usize; 2],
) -> Result<[Option<Vec<String>>; 2], SourceError> {
    let Some(file) = names_file(path) else { return Ok([None, None]) };
    let mut names = Vec::new();
    let (mut lines, mut text) = (Opened::new(&file, 0)?, String::new());
    // One more than there are rows is enough to see that there are too many.
    while names.len() <= m && lines.next(&mut text)? {
        names.push(text.trim().to_owned());
    }
    if names.len() != m {
        let more = if names.len() > m { "more than " } else { "" };
        let reason = format!(
            "it has {more}{} names for the {m} rows of {}: correct it, or give it another name",
            names.len().min(m),
            path.display()
        );
        return Err(SourceError::invalid(&file, reason));
    }
    Ok(if m == n { [Some(names.clone()), Some(names)] } else { [Some(names), None] })
}

/// The file beside `path`, and its text, if the matrix has names of rows.
///
/// # Errors
/// If a name does not fit on a line, or it has none and such a file is there, whose names would be
/// taken for its own.
pub(super) fn prepare(
    path: &Path,
    content: &Content<'_>,
) -> Result<Option<(PathBuf, String)>, SourceError> {
    let beside = after(path);
    let other = path.with_extension(ENDING);
    let Some(names) = content.names[0] else {
        return match [beside, other].into_iter().find(|file| file.exists()) {
            Some(file) => {
                let reason = format!(
                    "the names in it would be taken for those of {}, which has none: remove it",
                    path.display()
                );
                Err(SourceError::invalid(&file, reason))
            }
            None => Ok(None),
        };
    };
    let is_unfit =
        |name: &&String| name.trim() != **name || name.is_empty() || name.contains(['\n', '\r']);
    if let Some(name) = names.iter().find(is_unfit) {
        let reason =
            format!("the name {name:?} does not fit on a line of its own: rename it, or write csv");
        return Err(SourceError::invalid(&beside, reason));
    }
    Ok(Some((beside, names.iter().map(|name| format!("{name}\n")).collect())))
}

/// Writes `text` to `path`.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<(), SourceError> {
    let written = write_atomically::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?));
    written.map_err(|error| SourceError::write(path, error.cause))
}
