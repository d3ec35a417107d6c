//! Where a run writes: refused before any work is done if that cannot be.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::is_standard_output;
use crate::error::refused;
use crate::guest;

/// Refuses a path that cannot be written.
///
/// # Errors
/// If it is a folder, or its folder does not exist or takes no file.
pub(crate) fn check_output(path: &Path) -> Result<()> {
    if is_standard_output(path) || guest::keeps(path) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(refused(format!("{} is a folder; name a file in it", path.display())));
    }
    if path.exists() && !path.is_file() {
        // A device or a pipe is written to as it is.
        return Ok(());
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&target);
    check_folder(&folder)
        .map_err(|reason| refused(format!("cannot write {}: {reason}", path.display())))
}

/// Tries whether `folder` takes a file; else says why it does not.
pub(crate) fn check_folder(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(format!("there is no folder {shown}"));
    }
    let made = tempfile::tempfile_in(folder);
    made.map(drop).map_err(|error| format!("no file in {shown}: {error}"))
}

/// Tries whether `folder`, or the nearest one above it that exists, takes a file; else says why it
/// does not.
pub(crate) fn check_folder_to_make(folder: &Path) -> Result<(), String> {
    if folder.exists() && !folder.is_dir() {
        return Err(format!("{} is a file; name a folder", folder.display()));
    }
    let existing = folder.ancestors().find(|above| above.as_os_str().is_empty() || above.exists());
    let existing = existing.filter(|above| !above.as_os_str().is_empty());
    check_folder(existing.unwrap_or(Path::new(".")))
}

/// The folder that `path` lies in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
