//! `summary.json`: the facts of a run for other programs.

use std::io;
use std::path::Path;

use serde_json::Value;
use tegula_files::{WriteError, write_atomically};

/// Writes `summary` as JSON, indented, with its keys in their order.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_summary(path: &Path, summary: &Value) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        serde_json::to_writer_pretty(&mut *out, summary).map_err(io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    })
}
