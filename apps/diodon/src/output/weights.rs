//! `weights.csv`: what each item weighed.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};

/// Name of the file of weights, where items have some.
pub const WEIGHTS: &str = "weights.csv";

/// Writes the weights of the items `ids` as CSV: `id, weight`, one row for each, written to read
/// back equal.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_weights(path: &Path, ids: &[String], weights: &[f64]) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        ["id", "weight"].into_iter().for_each(|name| rows.text(name));
        rows.end()?;
        for (id, weight) in ids.iter().zip(weights) {
            rows.text(id);
            rows.number(*weight);
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
