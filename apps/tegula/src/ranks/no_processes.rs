//! In the place of ranks that are processes, on systems without the watch that ends all when one is
//! gone.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::error::refused;

/// What is said in place of a library.
const NONE: &str =
    "ranks are processes of MPI on Linux and macOS only; here --ranks local:N starts threads";

/// Refuses to run.
///
/// # Errors
/// Always.
pub(super) fn run(
    _library: Option<&Path>,
    _command: &(dyn Fn() -> Result<()> + Sync),
) -> Result<ExitCode> {
    Err(refused(NONE))
}

/// That there is no MPI library.
pub(crate) fn announce() -> String {
    format!("none: {NONE}")
}
