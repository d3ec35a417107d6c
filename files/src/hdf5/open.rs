//! Opening a matrix with the reader that is there for it.

use std::path::Path;

use super::holes::Hdf5Reading;
use super::source::Hdf5Source;
use crate::source::{Source, SourceError};

/// Opens the data set `dataset` of the file at `path`, or the one that is the matrix if none is
/// named ([`Hdf5Source::open`]), in this way of `reading`; with the feature `hdf5`, libhdf5 does
/// where our own reader does not read such files.
///
/// # Errors
/// Those of [`Hdf5Source::open`].
pub fn open(
    path: &Path,
    dataset: Option<&str>,
    reading: Hdf5Reading,
) -> Result<Box<dyn Source>, SourceError> {
    match Hdf5Source::open_as(path, dataset, reading) {
        Ok(source) => Ok(Box::new(source)),
        Err(SourceError::Unsupported { reason, .. }) => instead(path, dataset, (reading, &reason)),
        Err(error) => Err(error),
    }
}

/// The matrix as libhdf5 reads it, since we do not for `reason`.
#[cfg(feature = "hdf5")]
fn instead(
    path: &Path,
    dataset: Option<&str>,
    (reading, reason): (Hdf5Reading, &str),
) -> Result<Box<dyn Source>, SourceError> {
    match Hdf5Source::open_by_libhdf5(path, dataset, reading) {
        Ok(source) => Ok(Box::new(source)),
        Err(SourceError::Invalid { reason: theirs, .. }) => {
            let reason = format!("{reason}; libhdf5 does not read it either: {theirs}");
            Err(SourceError::unsupported(path, reason))
        }
        Err(error) => Err(error),
    }
}

/// What to say where there is no libhdf5.
#[cfg(not(feature = "hdf5"))]
fn instead(
    path: &Path,
    _: Option<&str>,
    (_, reason): (Hdf5Reading, &str),
) -> Result<Box<dyn Source>, SourceError> {
    let hint = "a program that was built with --features hdf5 may read it as it is";
    Err(SourceError::unsupported(path, format!("{reason}; {hint}")))
}

/// The version of libhdf5, if this build has it.
#[must_use]
pub fn libhdf5_version() -> Option<String> {
    #[cfg(feature = "hdf5")]
    {
        let (major, minor, patch) = hdf5_metno::library_version();
        Some(format!("{major}.{minor}.{patch}"))
    }
    #[cfg(not(feature = "hdf5"))]
    None
}
