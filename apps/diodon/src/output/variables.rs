//! `variables.csv`: where each variable lies along each axis.

use std::path::Path;

use tegula_data::format::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use crate::Variables;

/// Writes the coordinates as CSV: `id, axis1, axis2, ...`, one row for each variable, each number in the
/// shortest decimal spelling that reads back equal.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_variables(path: &Path, variables: &Variables) -> Result<(), WriteError> {
    let Variables { ids, coordinates } = variables;
    let axes: Vec<&[f64]> = coordinates.chunks_exact(ids.len().max(1)).collect();
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        rows.text("id");
        (1..=axes.len()).for_each(|axis| rows.text(&format!("axis{axis}")));
        rows.end()?;
        for (variable, id) in ids.iter().enumerate() {
            rows.text(id);
            axes.iter().for_each(|axis| rows.number(axis[variable]));
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
