//! `coordinates.csv`: where each item lies along each axis.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use crate::Ordination;

/// Writes the coordinates as CSV: `id, axis1, axis2, ...`, one row for each item, each number in
/// the shortest decimal spelling that reads back equal.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_coordinates(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    write_axes(path, &ordination.ids, &ordination.columns())
}

/// Writes the coordinates of items with these `ids` along `axes`.
pub(super) fn write_axes(path: &Path, ids: &[String], axes: &[&[f64]]) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        rows.text("id");
        (1..=axes.len()).for_each(|axis| rows.text(&format!("axis{axis}")));
        rows.end()?;
        for (item, id) in ids.iter().enumerate() {
            rows.text(id);
            axes.iter().for_each(|axis| rows.number(axis[item]));
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
