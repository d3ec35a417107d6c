//! Whether all of a data set was written that libhdf5 reads.

use std::path::Path;

use hdf5_metno::Dataset;
use hdf5_metno::dataset::Layout;
use hdf5_metno::types::OwnedDynValue;
use rust_hdf5::H5File;

use crate::hdf5::holes::Holes;

/// Refuses the data set called `title` of the file at `path` if a part of it was never written,
/// unless `fill` is what libhdf5 reads there.
///
/// # Errors
/// Why it is refused.
pub(super) fn check(
    path: &Path,
    (title, dataset): (&str, &Dataset),
    fill: Option<f64>,
) -> Result<(), String> {
    let own = fill_of(dataset);
    let Some(words) = words(path, (title, dataset), own) else { return Ok(()) };
    match fill {
        None => Err(words),
        Some(fill) if fill == own => Ok(()),
        Some(fill) => Err(format!(
            "libhdf5 reads {own} in data set '{title}' where nothing was written, and cannot read {fill} there"
        )),
    }
}

/// What was never written, in a sentence.
fn words(path: &Path, (title, dataset): (&str, &Dataset), own: f64) -> Option<String> {
    let entries = dataset.size() as u64;
    let first = [0, 0];
    let holes = match dataset.layout() {
        Layout::Chunked => {
            let chunk = dataset.chunk()?;
            let along = dataset.shape().into_iter().zip(chunk);
            let of: usize = along.map(|(length, chunk)| length.div_ceil(chunk.max(1))).product();
            let there = dataset.num_chunks().unwrap_or(0);
            let absent = of.saturating_sub(there) as u64;
            Holes { absent, is_least: there > of, of: of as u64, parts: "chunks", first }
        }
        Layout::Contiguous => {
            let absent = if dataset.storage_size() == 0 { entries } else { 0 };
            Holes { absent, is_least: false, of: entries, parts: "entries", first }
        }
        Layout::Virtual => return missing(path, title),
        Layout::Compact => return None,
    };
    (holes.absent > 0).then(|| holes.words(title, &own.to_string()))
}

/// Which file of a virtual data set is not there.
fn missing(path: &Path, title: &str) -> Option<String> {
    let dataset = H5File::open(path).and_then(|file| file.dataset(title));
    let parts = dataset.and_then(|dataset| dataset.virtual_mappings()).ok()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_there = |name: &str| {
        name == "." || name.contains('%') || folder.join(name).exists() || Path::new(name).exists()
    };
    let part = parts.into_iter().find(|part| !is_there(&part.source_file_name))?;
    let file = part.source_file_name;
    Some(format!(
        "a part of the virtual data set '{title}' is in the file {file}, which is not there: bring it, or say what its \
         entries are by --fill VALUE"
    ))
}

/// The number that libhdf5 reads where nothing was written.
fn fill_of(dataset: &Dataset) -> f64 {
    let value: Option<OwnedDynValue> = dataset.fill_value().ok().flatten();
    value.and_then(|value| value.to_string().parse().ok()).unwrap_or(0.0)
}
