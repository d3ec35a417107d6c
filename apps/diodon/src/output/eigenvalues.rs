//! `eigenvalues.csv`: what each axis is worth.

use std::path::Path;

use tegula_data::format::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use super::shares::{Whole, axis_rows};
use crate::Ordination;

/// Writes the eigenvalues as CSV: `axis, eigenvalue, share_of_trace, cumulated, residual`, one row for each axis.
///
/// `cumulated` sums the shares of the trace. They are empty where the trace is not positive; `residual` is empty where
/// the method yields none.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_eigenvalues(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        for name in ["axis", "eigenvalue", "share_of_trace", "cumulated", "residual"] {
            rows.text(name);
        }
        rows.end()?;
        for row in axis_rows(ordination, Whole::Trace) {
            rows.count(row.axis);
            rows.number(row.eigenvalue);
            rows.number_or_nothing(row.share);
            rows.number_or_nothing(row.cumulated);
            rows.number_or_nothing(row.residual);
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
