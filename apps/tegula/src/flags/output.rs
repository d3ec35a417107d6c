//! Flags about what is printed.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use crate::error::refused;
use crate::output::{Console, Form, check_form, check_output, is_standard_output};

/// What is printed, and where.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Write the whole result as JSON to FILE; "-" is standard output
    ///
    /// What people read goes to standard error if it is "-". A run that fails prints an object with
    /// "error" and "exit_code" on standard output instead.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Print warnings and errors only
    #[arg(long, short)]
    quiet: bool,
    /// Print more
    #[arg(long, short, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Read flags from a TOML file ("workers = 2")
    ///
    /// Those of the command line win.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl OutputFlags {
    /// The console of a run that writes data to `data`, if it does.
    ///
    /// # Errors
    /// If standard output is asked for twice, or a file cannot be written.
    pub(crate) fn console(&self, data: Option<&Path>) -> Result<Console> {
        let is_out = |path: Option<&Path>| path.is_some_and(is_standard_output);
        let (json, data_out) = (is_out(self.json.as_deref()), is_out(data));
        if json && data_out {
            return Err(refused(
                "the JSON and the table cannot both go to standard output: give --json or -o a file",
            ));
        }
        for path in self.json.as_deref().into_iter().chain(data) {
            check_output(path)?;
        }
        self.json.as_deref().map_or(Ok(()), |path| check_form("--json", path, Form::Json))?;
        Ok(Console::new(json || data_out, self.quiet, self.verbose > 0))
    }

    /// Writes the result as JSON, if that was asked for.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn write(&self, value: &serde_json::Value) -> Result<()> {
        self.json.as_deref().map_or(Ok(()), |path| crate::output::write_json(path, value))
    }
}
