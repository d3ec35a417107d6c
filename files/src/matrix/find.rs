//! Which format a file has: by the end of its name, else by what it begins with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use os_str_bytes::OsStrBytesExt;

use super::input::{self, Opened};
use super::{FORMATS, Format, ReadSettings, Writing};
use crate::names::nearest_name;
use crate::source::{Source, SourceError};
use crate::text::{self, Kind, TextFault};

/// Ends of the names of compressed text.
const COMPRESSED: [&str; 2] = [".gz", ".bz2"];
/// Lines of a text that are looked at.
const LOOKED_AT: usize = 4;

/// A file whose format is known.
#[derive(Clone, Debug)]
pub struct Found {
    /// The format.
    pub format: &'static Format,
    /// The file.
    pub path: PathBuf,
    /// The part of it that was asked for.
    pub part: Option<String>,
}

impl Found {
    /// Opens it.
    ///
    /// # Errors
    /// If it is not what its format says.
    pub fn open(&self, settings: &ReadSettings<'_>) -> Result<Box<dyn Source>, SourceError> {
        (self.format.open)(&self.path, self.part.as_deref(), settings)
    }
}

/// Finds the file that `spec` names, and its format, which is the one called `format` if that is
/// given.
///
/// # Errors
/// If there is no such file or its format is not known.
pub fn find_matrix(spec: impl AsRef<OsStr>, format: Option<&str>) -> Result<Found, SourceError> {
    let (path, part) = split(spec.as_ref());
    let about = std::fs::metadata(&path).map_err(|cause| SourceError::read(&path, cause))?;
    if let Some(name) = format {
        let format = named(&path, name)?;
        return Ok(Found { format, path, part });
    }
    let format = match by_ending(&path) {
        // A binary file under the name of a text is what its first bytes say.
        Some(format) if format.is_text && about.is_file() => by_signature(&path)?.unwrap_or(format),
        Some(format) => format,
        None => by_contents(&path)?,
    };
    Ok(Found { format, path, part })
}

/// The file and the part after the last colon, if the whole is no file and what stands before the
/// colon is one.
fn split(spec: &OsStr) -> (PathBuf, Option<String>) {
    if !Path::new(spec).exists()
        && let Some((path, part)) = spec.rsplit_once(':')
        && Path::new(path).exists()
    {
        return (path.into(), Some(part.to_string_lossy().into_owned()));
    }
    (spec.into(), None)
}

/// The format called `name`.
fn named(path: &Path, name: &str) -> Result<&'static Format, SourceError> {
    Format::named(name).ok_or_else(|| {
        let names = FORMATS.iter().map(|format| format.name);
        let nearest = nearest_name(name, names.clone());
        let nearest = nearest.map_or(String::new(), |name| format!(" (did you mean {name}?)"));
        let names: Vec<&str> = names.collect();
        let reason =
            format!("there is no format '{name}'{nearest}; there are {}", names.join(", "));
        SourceError::invalid(path, reason)
    })
}

/// The format that the longest known end of the name of `path` means.
fn by_ending(path: &Path) -> Option<&'static Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let plain = COMPRESSED.into_iter().find_map(|ending| name.strip_suffix(ending));
    let name = plain.unwrap_or(&name);
    let fits = |format: &&Format| {
        let endings = format.endings.iter().filter(|ending| name.ends_with(**ending));
        endings.map(|ending| ending.len()).max()
    };
    let known = FORMATS.iter().copied();
    let known = known.filter(|format| plain.is_none() || format.is_text);
    // Of equally long ends the first in the list counts.
    known
        .rev()
        .filter_map(|format| Some((fits(&format)?, format)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, format)| format)
}

/// The format whose signature `path` begins with.
fn by_signature(path: &Path) -> Result<Option<&'static Format>, SourceError> {
    let start = input::first_bytes(path, text::START)?;
    // Workbooks are archives, as .npz are, but not of arrays.
    if let Some(kind) = Kind::of(&start).filter(|kind| kind.is_sheet()) {
        return Err(input::unreadable(path, TextFault::Binary(kind).into()));
    }
    let signed =
        |format: &&Format| !format.signature.is_empty() && start.starts_with(format.signature);
    Ok(FORMATS.iter().copied().find(signed))
}

/// The format that `path` looks like.
fn by_contents(path: &Path) -> Result<&'static Format, SourceError> {
    if let Some(format) = by_signature(path)? {
        return Ok(format);
    }
    let start = input::first_bytes(path, text::START)?;
    if !text::may_be_text(&start) && Kind::of(&start).is_none() {
        return Err(unknown(
            path,
            "is neither text nor a binary format that is known by its first bytes",
        ));
    }
    let lines = Opened::new(path, 0)?.line_starts(LOOKED_AT)?;
    let Some(first) = lines.first() else { return Err(input::empty(path)) };
    let name = if super::phylip::looks_like(&lines) {
        "phylip"
    } else if super::mothur::looks_like(&lines) {
        "mothur"
    } else if first.contains('\t') {
        "tsv"
    } else {
        "csv"
    };
    Format::named(name).ok_or_else(|| unknown(path, "has no known format"))
}

fn unknown(path: &Path, what: &str) -> SourceError {
    SourceError::invalid(path, format!("it {what}; readable are {}", listed(|_| true)))
}

/// Names and ends of the formats that `counts`.
fn listed(counts: impl Fn(&Format) -> bool) -> String {
    let formats = FORMATS.iter().filter(|format| counts(format));
    let texts: Vec<String> =
        formats.map(|format| format!("{} ({})", format.name, format.endings.join(" "))).collect();
    texts.join(", ")
}

/// The format to write at `path`, the one called `format` if that is given, and how it is written.
///
/// # Errors
/// If it is not known or only read.
pub fn writable_format(
    path: &Path,
    format: Option<&str>,
) -> Result<(&'static Format, &'static Writing), SourceError> {
    let writable = || listed(|format| format.write.is_some());
    let format = match format {
        Some(name) => named(path, name)?,
        None => by_ending(path).ok_or_else(|| {
            let near = nearest_ending(path);
            let reason =
                format!("the end of its name tells no format{near}; writable are {}", writable());
            SourceError::invalid(path, reason)
        })?,
    };
    let writing = format.write.as_ref().ok_or_else(|| {
        let reason = format!("{} is only read; writable are {}", format.name, writable());
        SourceError::invalid(path, reason)
    })?;
    Ok((format, writing))
}

/// A remark about the known end that resembles that of `path`.
fn nearest_ending(path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let known = FORMATS.iter().flat_map(|format| format.endings.iter());
    nearest_name(ending, known.map(|known| known.trim_start_matches('.')))
        .map_or(String::new(), |near| format!(" (did you mean .{near}?)"))
}
