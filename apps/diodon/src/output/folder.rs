//! The folder of results as a whole: the files of one run, and none of an earlier one.
//!
//! New files are written to a hidden folder inside it, and only when all are whole do they take the
//! places of those of an earlier run. `summary.json` goes first and comes last: a folder without it
//! is not complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tegula_files::WriteError;

use super::error::OutputError;
use super::{Output, WEIGHTS};

/// The hidden folder of files that are not in place yet.
const ASIDE: &str = ".tegula-results";
/// Name in there of the summary of the run before, while files of both are in the folder.
const EARLIER: &str = "earlier.json";

/// Every file that a run may leave.
pub const RESULTS: [&str; 12] = [
    Output::COORDINATES,
    Output::EIGENVALUES,
    Output::QUALITY,
    Output::CONTRIBUTIONS,
    Output::ORDINATION,
    Output::SUMMARY,
    Output::REPORT,
    Output::VARIABLES,
    Output::VARIABLES_QUALITY,
    Output::VARIABLES_CONTRIBUTIONS,
    Output::INSTRUMENTS,
    WEIGHTS,
];

/// What a run left in its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The files, in the order of their names in [`RESULTS`].
    pub paths: Vec<PathBuf>,
    /// Names of files of an earlier run that are gone, since this one leaves none.
    pub removed: Vec<&'static str>,
}

/// Has `fill` write some of [`RESULTS`] to an empty folder, and puts them into `folder`, which is
/// made if it is missing, in place of those of an earlier run.
///
/// # Errors
/// [`OutputError`] when the folder cannot be made, or a file cannot be written: as long as none was
/// put into its place, all is as it was.
pub(super) fn replace(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), OutputError>,
) -> Result<Written, OutputError> {
    let failed = |path: PathBuf| move |cause| OutputError::from(WriteError { path, cause });
    fs::create_dir_all(folder)
        .map_err(|cause| OutputError::Folder { path: folder.to_owned(), cause })?;
    let aside = folder.join(ASIDE);
    let earlier = earlier(folder, &aside);
    clear(&aside);
    fs::create_dir(&aside).map_err(failed(aside.clone()))?;
    if let Err(error) = fill(&aside) {
        clear(&aside);
        return Err(in_place(error, folder));
    }
    let (names, others): (Vec<&str>, Vec<&str>) =
        RESULTS.into_iter().partition(|name| aside.join(name).is_file());
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    if let Some(taken) = paths.iter().find(|path| path.is_dir()) {
        clear(&aside);
        return Err(failed(taken.clone())(io::ErrorKind::IsADirectory.into()));
    }
    let summary = folder.join(Output::SUMMARY);
    if summary.exists() {
        fs::rename(&summary, aside.join(EARLIER)).map_err(failed(summary))?;
    }
    let is_stale = |name: &&str| earlier.contains(name) && folder.join(name).is_file();
    let removed: Vec<&'static str> = others.into_iter().filter(is_stale).collect();
    for path in removed.iter().map(|name| folder.join(name)) {
        fs::remove_file(&path).map_err(failed(path))?;
    }
    let (last, first): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| *name == Output::SUMMARY);
    for name in first.into_iter().chain(last) {
        move_over(&aside.join(name), &folder.join(name)).map_err(failed(folder.join(name)))?;
    }
    clear(&aside);
    Ok(Written { paths, removed })
}

/// Puts the file `from` in the place of `to`, whose permissions it takes over.
fn move_over(from: &Path, to: &Path) -> io::Result<()> {
    if let Ok(there) = fs::metadata(to) {
        fs::set_permissions(from, there.permissions())?;
    }
    fs::rename(from, to)
}

/// The error with the place that a file was to get.
fn in_place(error: OutputError, folder: &Path) -> OutputError {
    match error {
        OutputError::Write(WriteError { path, cause }) => {
            let path = path.file_name().map_or(path.clone(), |name| folder.join(name));
            WriteError { path, cause }.into()
        }
        other => other,
    }
}

/// Removes the hidden folder; what cannot be removed is met when it is made again.
fn clear(aside: &Path) {
    let _ = fs::remove_dir_all(aside);
}

/// Files that earlier runs say they left: of several, if one was killed while it put them in place.
fn earlier(folder: &Path, aside: &Path) -> Vec<&'static str> {
    let summaries =
        [folder.join(Output::SUMMARY), aside.join(Output::SUMMARY), aside.join(EARLIER)];
    summaries.iter().flat_map(|path| files_of(path)).collect()
}

/// Files of the run whose summary is at `path`: those it names; of one that names none, those that
/// its facts stand for.
fn files_of(path: &Path) -> Vec<&'static str> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let Ok(summary) = serde_json::from_str::<Value>(&text) else { return Vec::new() };
    if let Some(files) = summary.get("files").and_then(Value::as_array) {
        let is_listed = |name: &&str| files.iter().any(|file| file == name);
        return RESULTS.into_iter().filter(is_listed).collect();
    }
    if summary.get("tegula_version").is_none() {
        return Vec::new();
    }
    let mut files =
        vec![Output::COORDINATES, Output::EIGENVALUES, Output::QUALITY, Output::ORDINATION];
    files.push(Output::REPORT);
    let has = |key: &str| summary.get(key).is_some_and(|value| *value != Value::Bool(false));
    let optional = [
        ("inertia", Output::VARIABLES),
        ("constrained_inertia", Output::INSTRUMENTS),
        ("weighted", WEIGHTS),
    ];
    files.extend(optional.into_iter().filter(|(key, _)| has(key)).map(|(_, name)| name));
    files
}
