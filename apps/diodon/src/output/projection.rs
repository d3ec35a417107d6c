//! The folder of new items that were placed on the axes of others.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::coordinates::write_axes;
use super::quality::write_columns;
use super::{Output, OutputError, write_summary};
use crate::projection::Projection;

/// Writes `coordinates.csv` as that of an embedding, `quality.csv` and `summary.json` of the items `ids` to
/// `folder`, which is made if it is missing. Returns their paths.
///
/// `quality.csv` is `id, norm2, residual2, quality1, ..., qualityk, cumulated1, ..., cumulatedk`: `norm2`
/// is the squared distance from the centre of the embedded items, `residual2` that from the space of the
/// axes, each written to read back equal and negative where distances are not Euclidean; qualities are
/// `x^2 / norm2` in single precision, and empty where `norm2` is not positive.
///
/// # Errors
/// [`OutputError`] when the folder cannot be made or one of the files cannot be written; those
/// before it are whole, and it and those after it are as they were.
///
/// # Panics
/// If there are not as many ids as items.
pub fn write_projection(
    folder: &Path,
    (ids, projection): (&[String], &Projection),
    summary: &Value,
) -> Result<Vec<PathBuf>, OutputError> {
    let Projection { coordinates, norms2, residuals2, .. } = projection;
    let m = ids.len();
    assert!(norms2.len() == m, "{m} ids and {} items", norms2.len());
    fs::create_dir_all(folder)
        .map_err(|cause| OutputError::Folder { path: folder.to_owned(), cause })?;
    let names = [Output::COORDINATES, Output::QUALITY, Output::SUMMARY];
    let paths = names.map(|name| folder.join(name));
    let axes: Vec<&[f64]> = coordinates.chunks_exact(m.max(1)).collect();
    write_axes(&paths[0], ids, &axes)?;
    write_columns(&paths[1], (ids, &axes), &[("norm2", norms2), ("residual2", residuals2)])?;
    write_summary(&paths[2], summary)?;
    Ok(paths.to_vec())
}
