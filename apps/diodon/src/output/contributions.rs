//! `contributions.csv` and `variables_contributions.csv`: how much of each axis each line of a
//! table makes.

use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};

/// The share of the eigenvalue of an axis that a line of this weight makes, lying at `x`:
/// `w x^2 / lambda`; those of all lines sum to 1.
#[must_use]
pub(super) fn contribution(mass: f64, x: f64, eigenvalue: f64) -> f64 {
    mass * x * x / eigenvalue
}

/// Writes contributions as CSV: `id, weight, contribution1, ..., contributionk`, one row for each
/// line, weights written to read back equal and contributions in single precision.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
///
/// # Panics
/// If there are not as many weights as ids.
pub fn write_contributions(
    path: &Path,
    (ids, masses): (&[String], &[f64]),
    axes: &[&[f64]],
    eigenvalues: &[f64],
) -> Result<(), WriteError> {
    assert!(ids.len() == masses.len(), "{} ids and {} weights", ids.len(), masses.len());
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Csv);
        ["id", "weight"].into_iter().for_each(|name| rows.text(name));
        (1..=axes.len()).for_each(|axis| rows.text(&format!("contribution{axis}")));
        rows.end()?;
        for (line, (id, &mass)) in ids.iter().zip(masses).enumerate() {
            rows.text(id);
            rows.number(mass);
            for (axis, &eigenvalue) in axes.iter().zip(eigenvalues) {
                rows.single(contribution(mass, axis[line], eigenvalue) as f32);
            }
            rows.end()?;
        }
        Ok(rows.finish()?)
    })
}
