//! `--trace FILE`: the extension says what is written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tegula_files::WriteError;
use tegula_runtime::exec::gather_trace;
use tegula_runtime::trace::Trace;
use tegula_traces::plot::{gantt, report};
use tegula_traces::{write_perfetto, write_table};

use crate::error::refused;
use crate::output::{Console, check_output, write_file};
use crate::{ranks, seat};

/// Where a trace goes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct TraceFlags {
    /// Record tasks in FILE.html, .trace ("tegula trace"), .json, .csv, .svg
    ///
    /// And messages, over ranks those of all: FILE.html for a report, FILE.trace to be read by
    /// "tegula trace", FILE.json for Perfetto, FILE.csv for a table, FILE.svg for a picture.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// A form in which a trace can be written.
pub(crate) struct Form {
    extension: &'static str,
    /// What it is for, in a few words.
    purpose: &'static str,
    /// Writes a trace that has a title.
    pub(crate) write: fn(&Trace, &str, &mut dyn Write) -> io::Result<()>,
}

const FORMS: &[Form] = &[
    Form {
        extension: "html",
        purpose: "report",
        write: |trace, title, out| out.write_all(report(trace, title).as_bytes()),
    },
    Form { extension: "trace", purpose: "tegula trace", write: |trace, _, out| trace.write(out) },
    Form {
        extension: "json",
        purpose: "Perfetto",
        write: |trace, _, out| write_perfetto(trace, out),
    },
    Form {
        extension: "csv",
        purpose: "task table",
        write: |trace, _, out| write_table(trace, out),
    },
    Form {
        extension: "svg",
        purpose: "picture",
        write: |trace, _, out| out.write_all(gantt(trace, trace.span()).as_bytes()),
    },
];

impl TraceFlags {
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
        form("--trace", path)?;
        check_output(path)
    }

    /// Writes `trace` of a run with this `result`, if that was asked for. The trace then says what
    /// was run. Over ranks all call it, each with its own trace, and that of rank 0 becomes that of
    /// all.
    ///
    /// # Errors
    /// Those of the file, and of the other ranks.
    pub(crate) fn write(&self, trace: &mut Trace, result: &Value, console: &Console) -> Result<()> {
        let Some(path) = &self.trace else { return Ok(()) };
        if let Some(world) = ranks::world() {
            let Some(all) = gather_trace(&world, std::mem::take(trace))? else { return Ok(()) };
            *trace = all;
        }
        trace.about = about(result);
        let (form, title) = (form("--trace", path)?, title(path));
        write_file::<WriteError>(path, |out| Ok((form.write)(trace, &title, out)?))?;
        let mut what = crate::output::count(trace.records.len(), "task");
        if !trace.messages.is_empty() {
            let messages = crate::output::count(trace.messages.len(), "message");
            what = format!("{what} and {messages}");
        }
        console.line(format_args!("trace of {what} written to {}", path.display()));
        Ok(())
    }
}

/// Writes `trace` to `path`, in the form that its extension asks for.
///
/// # Errors
/// If the extension is none of those known; those of the file.
pub(crate) fn write_to(path: &Path, trace: &Trace) -> Result<()> {
    let (form, title) = (form("", path)?, title(path));
    write_file::<WriteError>(path, |out| Ok((form.write)(trace, &title, out)?))
}

/// The keys of a result that say what was run, and what bounds are known of it.
const SETTINGS: &[&str] = &[
    "program",
    "algorithm",
    "covariance",
    "method",
    "platform",
    "n",
    "m",
    "k",
    "nrhs",
    "tiles",
    "tile_size",
    "precision",
    "workers",
    "ranks",
    "distribution",
    "cores",
    "devices",
    "memory",
    "device_memory",
    "link_rate",
    "disk_rate",
    "pipeline",
    "policy",
    "eviction",
    "seed",
    "noise",
    "blas",
    "abe_seconds",
    "cpb_seconds",
    "energy_joules",
    "energy_seconds",
];

/// The command, the version, and the settings that stand in `result`.
fn about(result: &Value) -> Vec<(String, String)> {
    let arguments = seat::arguments();
    let command: Vec<String> =
        arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let own = [("command", command.join(" ")), ("version", env!("CARGO_PKG_VERSION").to_owned())];
    let settings = SETTINGS.iter().filter_map(|&key| {
        let text = match result.get(key)? {
            Value::String(text) => text.clone(),
            number @ Value::Number(_) => number.to_string(),
            _ => return None,
        };
        Some((key, text))
    });
    own.into_iter().chain(settings).map(|(key, text)| (key.to_owned(), text)).collect()
}

/// The form that the extension of `path`, which `flag` names, asks for.
///
/// # Errors
/// If it is none of those known.
pub(crate) fn form(flag: &str, path: &Path) -> Result<&'static Form> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    FORMS.iter().find(|form| form.extension.eq_ignore_ascii_case(extension)).ok_or_else(|| {
        let known: Vec<String> =
            FORMS.iter().map(|form| format!(".{} ({})", form.extension, form.purpose)).collect();
        let (last, others) = known.split_last().expect("there are forms");
        let (path, others) = (path.display(), others.join(", "));
        refused(format!("{flag} {path}: the name must end in {others} or {last}"))
    })
}

/// The title of a trace that is, or comes from, the file at `path`: its name without extension.
pub(crate) fn title(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "trace".to_owned())
}
