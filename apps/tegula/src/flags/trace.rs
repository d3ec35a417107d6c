//! `--trace FILE`: the extension says what is written.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_data::format::WriteError;
use tegula_runtime::plot::gantt;
use tegula_runtime::trace::Trace;

use crate::error::refused;
use crate::output::{Console, check_output, write_file};

/// Where a trace goes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct TraceFlags {
    /// Record every task: FILE.json for Perfetto, FILE.csv for a table, FILE.svg for a picture
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// A form in which a trace can be written.
struct Form {
    extension: &'static str,
    write: fn(&Trace, &mut dyn std::io::Write) -> std::io::Result<()>,
}

const FORMS: &[Form] = &[
    Form { extension: "json", write: |trace, out| trace.write_perfetto(out) },
    Form { extension: "csv", write: |trace, out| trace.write_table(out) },
    Form { extension: "svg", write: |trace, out| out.write_all(gantt(trace).as_bytes()) },
];

impl TraceFlags {
    /// The file, with the name of its flag.
    pub(crate) fn path(&self) -> (&'static str, Option<&Path>) {
        ("--trace", self.trace.as_deref())
    }

    /// Whether a trace is wanted.
    pub(crate) fn is_wanted(&self) -> bool {
        self.trace.is_some()
    }

    /// Refuses, before any work is done, a file that cannot be written.
    ///
    /// # Errors
    /// If the extension is none of those known, or the folder does not exist.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(path) = &self.trace else { return Ok(()) };
        form(path)?;
        check_output(path)
    }

    /// Writes `trace`, if that was asked for.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn write(&self, trace: &Trace, console: &Console) -> Result<()> {
        let Some(path) = &self.trace else { return Ok(()) };
        let form = form(path)?;
        write_file::<WriteError>(path, |out| Ok((form.write)(trace, out)?))?;
        let tasks = crate::output::count(trace.records.len(), "task");
        console.line(format_args!("trace of {tasks} written to {}", path.display()));
        Ok(())
    }
}

fn form(path: &Path) -> Result<&'static Form> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    FORMS.iter().find(|form| form.extension.eq_ignore_ascii_case(extension)).ok_or_else(|| {
        refused(format!(
            "--trace {}: the name must end in .json (Perfetto), .csv (task table) or .svg (picture)",
            path.display()
        ))
    })
}
