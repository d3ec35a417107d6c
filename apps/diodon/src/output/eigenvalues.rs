//! `eigenvalues.csv`: what each axis is worth.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use super::shares::{Whole, eigenvalue_shares};
use crate::{Ordination, OrdinationInput};

/// Writes the eigenvalues as CSV: `axis, eigenvalue, share_of_trace, cumulated, residual`, one row
/// for each axis; for each eigenvalue where all were computed, negative ones at the end.
///
/// `cumulated` sums the shares of the trace. They are empty where the trace is not positive;
/// `residual` is empty where the method yields none. Of distances `share_of_positive` and
/// `cumulated_positive` follow: shares of the sum of the positive eigenvalues, empty of those that
/// are not positive, and where the whole spectrum is not known.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_eigenvalues(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    let values = ordination.spectrum.as_ref().unwrap_or(&ordination.eigenvalues);
    let is_signed = ordination.input == OrdinationInput::Distances;
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        for name in ["axis", "eigenvalue", "share_of_trace", "cumulated", "residual"] {
            rows.text(name);
        }
        if is_signed {
            ["share_of_positive", "cumulated_positive"]
                .into_iter()
                .for_each(|name| rows.text(name));
        }
        rows.end()?;
        let of = |whole: Whole| eigenvalue_shares(values, whole.sum(ordination));
        for ((axis, of_trace), of_positive) in (1..).zip(of(Whole::Trace)).zip(of(Whole::Positive))
        {
            let residual = ordination.residuals.as_ref().and_then(|all| all.get(axis - 1));
            rows.count(axis);
            rows.number(of_trace.eigenvalue);
            rows.number_or_nothing(of_trace.share);
            rows.number_or_nothing(of_trace.cumulated);
            rows.number_or_nothing(residual.copied());
            if is_signed {
                let is_positive = of_positive.eigenvalue > 0.0;
                rows.number_or_nothing(of_positive.share.filter(|_| is_positive));
                rows.number_or_nothing(of_positive.cumulated.filter(|_| is_positive));
            }
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
