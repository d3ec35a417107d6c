//! `variables.csv`: where each variable lies along each axis.

use std::path::Path;

use tegula_files::WriteError;

use super::coordinates::write_axes;
use crate::Variables;

/// Writes the coordinates as CSV: `id, axis1, axis2, ...`, one row for each variable, each number
/// in the shortest decimal spelling that reads back equal.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_variables(path: &Path, variables: &Variables) -> Result<(), WriteError> {
    write_axes(path, &variables.ids, &variables.columns())
}
