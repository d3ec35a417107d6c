//! Where readers find the entries of a data set, and what they read where none was ever written.

use std::path::Path;
use std::sync::Arc;

use rust_hdf5::StorageLayout;

use super::choose::{Chosen, fill_of};
use super::holes::{Holes, fill_bytes, fill_number, outside};
use super::library::unreadable;
use super::storage::{Chunks, Storage};
use crate::source::SourceError;

/// Where readers find the entries.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Without gaps from this byte of the file on.
    Contiguous(u64),
    /// In chunks; `fill` is the entry of those that were never written.
    Chunked { chunks: Arc<Chunks>, fill: Vec<u8> },
    /// Nowhere: each is this.
    Filled(Vec<u8>),
    /// Where the library finds them.
    Library,
    /// Where libhdf5 finds them.
    #[cfg(feature = "hdf5")]
    LibHdf5(hdf5_metno::Dataset),
}

/// The place of the entries of `chosen`, which are stored as `storage` in this shape, and the bytes
/// that reading all takes; `fill` is what those are that were never written.
///
/// # Errors
/// If some were never written and there is no `fill`, or it is no such number.
pub(super) fn settle(
    path: &Path,
    chosen: &Chosen,
    (storage, shape): (Storage, [usize; 2]),
    fill: Option<f64>,
) -> Result<(Place, u64), SourceError> {
    let wrong = |reason: String| SourceError::invalid(path, reason);
    let title = &chosen.path;
    let entries = (shape[0] * shape[1]) as u64;
    let own = fill_of(path, chosen)?;
    if let Some(holes) = holes(&storage, entries).filter(|_| fill.is_none()) {
        return Err(wrong(holes.words(title, &fill_number(&own, chosen.kind).to_string())));
    }
    let given = fill.map(|value| fill_bytes(value, chosen.kind)).transpose();
    let given = given.map_err(|what| wrong(format!("data set '{title}': {what}")))?;
    let all = entries * chosen.kind.element.bytes() as u64;
    Ok(match storage {
        Storage::Contiguous(from) => (Place::Contiguous(from), all),
        Storage::Chunked(chunks) => {
            let taken = chunks.table.iter().map(|chunk| u64::from(chunk.size)).sum();
            let fill = given.unwrap_or(own);
            (Place::Chunked { chunks: Arc::new(chunks), fill }, taken)
        }
        Storage::Nowhere => (Place::Filled(given.unwrap_or(own)), 0),
        Storage::Sparse { chunks, .. } => {
            return Err(wrong(format!(
                "data set '{title}' is cut into {chunks} chunks, of which the file cannot hold most: h5repack -l \
                 CHUNK=1024x1024 makes one with fewer"
            )));
        }
        Storage::Other => {
            check_library(path, chosen, given.is_some_and(|given| given == own))?;
            // Of the file nothing more is known than its length.
            let length = path.metadata().map_or(all, |about| about.len());
            (Place::Library, length.min(all))
        }
    })
}

/// What was never written of `entries` entries.
fn holes(storage: &Storage, entries: u64) -> Option<Holes> {
    let whole =
        Holes { absent: entries, is_least: false, of: entries, parts: "entries", first: [0, 0] };
    match storage {
        Storage::Nowhere => Some(whole).filter(|_| entries > 0),
        Storage::Sparse { chunks, absent } => {
            Some(Holes { absent: *absent, is_least: true, of: *chunks, parts: "chunks", ..whole })
        }
        Storage::Chunked(chunks) => {
            let (absent, at) = chunks.absent()?;
            let first = [at[0] * chunks.shape[0], at[1] * chunks.shape[1]];
            let of = chunks.table.len() as u64;
            Some(Holes { absent, of, parts: "chunks", first, ..whole })
        }
        Storage::Contiguous(_) | Storage::Other => None,
    }
}

/// Refuses what the library may read without all of it being there, unless it `is_filled` as the
/// library does it.
fn check_library(path: &Path, chosen: &Chosen, is_filled: bool) -> Result<(), SourceError> {
    let (dataset, title) = (&chosen.dataset, &chosen.path);
    let failed = |error| unreadable(path, &error);
    let layout = dataset.storage_layout().map_err(failed)?;
    let files = dataset.external_files().map_err(failed)?;
    if layout == StorageLayout::Compact || is_filled {
        return Ok(());
    }
    let size = chosen.kind.element.bytes() as u64;
    let mut wanted = chosen.dataset.total_elements() as u64 * size;
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in &files {
        let here = wanted.min(file.size);
        if let Some(what) = outside(folder, &file.name, file.offset.saturating_add(here)) {
            return Err(SourceError::invalid(path, format!("data set '{title}' {what}")));
        }
        wanted -= here;
    }
    if !files.is_empty() && wanted == 0 {
        return Ok(());
    }
    let words = format!(
        "data set '{title}' is stored in a way that does not tell whether all of it was written: h5repack makes a file \
         that does"
    );
    Err(SourceError::unsupported(path, words))
}
