//! `instruments.csv`: what instrumental variables have to do with each axis.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use crate::Constraints;

/// Writes instruments as CSV: `id, correlation1, ..., correlationk, coefficient1, ...,
/// coefficientk`, one row for each, each number in the shortest decimal spelling that reads back
/// equal.
///
/// Coordinates of the items are sums of the centred instruments with the coefficients; one that was
/// left out has none.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_instruments(path: &Path, constraints: &Constraints) -> Result<(), WriteError> {
    let Constraints { ids, along } = constraints;
    let (q, count) = (ids.len(), along.correlations.len());
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        rows.text("id");
        for what in ["correlation", "coefficient"] {
            (1..=count / q.max(1)).for_each(|axis| rows.text(&format!("{what}{axis}")));
        }
        rows.end()?;
        for (j, id) in ids.iter().enumerate() {
            rows.text(id);
            let correlations = along.correlations.iter().skip(j).step_by(q);
            correlations.for_each(|&value| rows.number(value));
            let coefficients = along.coefficients.iter().skip(j).step_by(q);
            coefficients.for_each(|&value| rows.number_or_nothing(value));
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
