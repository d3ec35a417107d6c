//! `quality.csv`: how much of each item's distance from the centre the axes show.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use crate::Ordination;

/// Writes the qualities as CSV: `id, norm2, quality1, ..., qualityk, cumulated1, ..., cumulatedk`,
/// one row for each item.
///
/// The quality of an item on an axis is `x^2 / norm2`: the share of its squared distance from the
/// centre, in the space of all axes and not of the computed ones alone, that the axis shows.
/// `norm2` is the diagonal of the Gram matrix, written to read back equal; qualities are written in
/// single precision. Where `norm2` is not positive, which happens if distances are not Euclidean,
/// an item has no quality and its cells are empty; for the same reason cumulated qualities may
/// exceed 1.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_quality(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    write_columns(path, (&ordination.ids, &ordination.columns()), &[("norm2", &ordination.norms2)])
}

/// Writes `columns` with their names, of which the first are squared norms, and the qualities of
/// items with these `ids` on `axes`.
pub(super) fn write_columns(
    path: &Path,
    (ids, axes): (&[String], &[&[f64]]),
    columns: &[(&str, &[f64])],
) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        rows.text("id");
        columns.iter().for_each(|(name, _)| rows.text(name));
        for what in ["quality", "cumulated"] {
            (1..=axes.len()).for_each(|axis| rows.text(&format!("{what}{axis}")));
        }
        rows.end()?;
        for (item, id) in ids.iter().enumerate() {
            rows.text(id);
            columns.iter().for_each(|(_, numbers)| rows.number(numbers[item]));
            item_cells(&mut rows, axes, item, columns[0].1[item]);
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}

/// Qualities of `item` on each axis, then cumulated.
fn item_cells(rows: &mut Rows<'_>, axes: &[&[f64]], item: usize, norm2: f64) {
    if norm2 <= 0.0 {
        (0..2 * axes.len()).for_each(|_| rows.nothing());
        return;
    }
    let quality = |axis: &&[f64]| axis[item] * axis[item] / norm2;
    axes.iter().for_each(|axis| rows.single(quality(axis) as f32));
    let mut so_far = 0.0;
    for axis in axes {
        so_far += quality(axis);
        rows.single(so_far as f32);
    }
}
