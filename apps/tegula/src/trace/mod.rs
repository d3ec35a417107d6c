//! `tegula trace FILE...`: what happened in a run that was recorded with `--trace FILE.trace`, or
//! in several.

mod json;
mod summary;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_files::WriteError;
use tegula_runtime::trace::{ReadError, Trace};
use tegula_traces::plot::{PANELS, Run, compare};
use tegula_traces::{
    CriticalPath, write_critical_path, write_messages, write_pairs, write_paje, write_perfetto,
    write_tasks, write_transfers,
};

use crate::error::refused;
use crate::flags::{OutputFlags, form, member, title};
use crate::output::{Console, STANDARD_OUTPUT, is_standard_output, write_file};

/// Flags of `trace`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula exageostat loglik field.csv --covariance matern --params 1,0.1,0.5 --trace run.trace
  tegula trace run.trace
  tegula trace run.trace -o report.html
  tegula trace run.trace --table transfers -o transfers.csv
  tegula linalg potrf -n 8000 --ranks local:2 --trace run.trace
  tegula trace run.trace --table pairs
  tegula trace block-cyclic.trace 1d1d.trace -o compare.html")]
pub(crate) struct TraceCommand {
    /// The trace that a run wrote with --trace FILE.trace; several are compared on one page, with
    /// -o PAGE.html
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    what: What,
    /// Write to FILE instead of standard output; without --table, --export and --panel the
    /// extension says what: .html (report), .trace, .json, .csv, .svg
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

/// What is written instead of a summary.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct What {
    /// Write a table as CSV, times in milliseconds
    #[arg(long, value_name = "TABLE", value_parser = writers(TABLES))]
    table: Option<usize>,
    /// Write the trace for another viewer
    #[arg(long, value_name = "FORMAT", value_parser = writers(EXPORTS))]
    export: Option<usize>,
    /// Draw a figure as SVG
    #[arg(long, value_name = "PANEL", value_parser = panels())]
    panel: Option<usize>,
}

/// Something that can be written of a trace.
struct Writer {
    name: &'static str,
    summary: &'static str,
    write: fn(&Trace, &mut dyn Write) -> io::Result<()>,
}

const TABLES: &[Writer] = &[
    Writer { name: "tasks", summary: "one line per task", write: |t, out| write_tasks(t, out) },
    Writer {
        name: "messages",
        summary: "one line per message between ranks, as its sender and its receiver saw it",
        write: |t, out| write_messages(t, out),
    },
    Writer {
        name: "pairs",
        summary: "one line per pair of ranks: messages, bytes, mean time, bytes per second, and the share of \
                  the time in flight in which the receiver computed",
        write: |t, out| write_pairs(t, out),
    },
    Writer {
        name: "transfers",
        summary: "one line per transfer between memories",
        write: |t, out| write_transfers(t, out),
    },
    Writer {
        name: "critical-path",
        summary: "the tasks of the critical path, with how late each started",
        write: |t, out| write_critical_path(t, out),
    },
];

const EXPORTS: &[Writer] = &[
    Writer {
        name: "perfetto",
        summary: "JSON for ui.perfetto.dev and chrome://tracing",
        write: |t, out| write_perfetto(t, out),
    },
    Writer {
        name: "paje",
        summary: "text for ViTE and other viewers of Paje traces",
        write: |t, out| write_paje(t, out),
    },
];

fn writers(list: &'static [Writer]) -> impl clap::builder::TypedValueParser<Value = usize> {
    member(list.iter().map(|writer| (writer.name, writer.summary)).collect())
}

fn panels() -> impl clap::builder::TypedValueParser<Value = usize> {
    member(PANELS.iter().map(|panel| (panel.name, panel.summary)).collect())
}

impl TraceCommand {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.target())?;
        let [file] = self.files.as_slice() else { return self.compare(console) };
        let by_extension = match self.output_file.as_deref() {
            Some(path) if !self.what.is_given() => Some(form("-o", path)?),
            _ => None,
        };
        let trace = read(file)?;
        if self.output.json.is_some() {
            self.output.write(&json::summary(&trace))?;
        }
        let title = title(file);
        let Some(path) = self.target() else {
            summary::print(&console, &trace);
            return console.finish();
        };
        self.remark_on_name(&console);
        self.what.remarks(&trace).into_iter().for_each(|remark| console.note(remark));
        write_file::<WriteError>(path, |out| {
            match by_extension {
                Some(form) => (form.write)(&trace, &title, out)?,
                None => self.what.write(&trace, out)?,
            }
            Ok(())
        })?;
        if !is_standard_output(path) {
            console.line(format_args!("{} written", path.display()));
        }
        console.finish()
    }

    /// Writes a page of all traces beside each other, and their summaries.
    fn compare(&self, console: Console) -> Result<()> {
        let is_page =
            |path: &Path| path.extension().is_some_and(|is| is.eq_ignore_ascii_case("html"));
        let page = self.output_file.as_deref();
        if self.what.is_given() || !page.map_or(self.output.json.is_some(), is_page) {
            return Err(refused(
                "several traces are compared on one page, with -o FILE.html, or summed up with --json FILE; \
                 for all else, name one trace",
            ));
        }
        let traces: Vec<Trace> = self.files.iter().map(|file| read(file)).collect::<Result<_>>()?;
        if self.output.json.is_some() {
            self.output.write(&traces.iter().map(json::summary).collect())?;
        }
        let names = names(&self.files);
        if let Some(path) = page {
            let runs: Vec<Run<'_>> = names.iter().map(String::as_str).zip(&traces).collect();
            let text = compare(&runs, &names.join(", "));
            write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))?;
            console.line(format_args!("{} written", path.display()));
        }
        console.finish()
    }

    /// Says so if the name of the file promises something else than a table.
    fn remark_on_name(&self, console: &Console) {
        let Some(path) = self.output_file.as_deref().filter(|_| self.what.is_given()) else {
            return;
        };
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        if self.what.table.is_some() && extension.is_some_and(|is| is == "html" || is == "svg") {
            let path = path.display();
            console.warn(format_args!("{path} is a table, as CSV; without --table, a figure"));
        }
    }

    /// Where something is written, if anything but a summary is.
    fn target(&self) -> Option<&Path> {
        let standard = || self.what.is_given().then(|| Path::new(STANDARD_OUTPUT));
        self.output_file.as_deref().or_else(standard)
    }
}

impl What {
    fn is_given(&self) -> bool {
        self.table.or(self.export).or(self.panel).is_some()
    }

    fn write(&self, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
        if let Some(panel) = self.panel {
            return out.write_all((PANELS[panel].draw)(trace, trace.span()).as_bytes());
        }
        let table = self.table.map(|index| &TABLES[index]);
        let writer = table.or(self.export.map(|index| &EXPORTS[index]));
        writer.map_or(Ok(()), |writer| (writer.write)(trace, out))
    }

    /// What should be said about a table that is empty.
    fn remarks(&self, trace: &Trace) -> Option<&'static str> {
        match self.table.map(|index| TABLES[index].name)? {
            "messages" | "pairs" if trace.messages.is_empty() => Some(
                "no messages: this trace is of one rank, or its ranks had nothing to tell each other",
            ),
            "transfers" if trace.transfers.is_empty() => Some("nothing moved between memories"),
            "critical-path" if CriticalPath::of(trace).is_none() => Some(
                "the critical path is not known: this trace does not say which task waited for \
                 which",
            ),
            _ => None,
        }
    }
}

/// What the traces are called: their titles, or where these are not all different their paths.
fn names(files: &[PathBuf]) -> Vec<String> {
    let titles: Vec<String> = files.iter().map(|file| title(file)).collect();
    let are_different = titles.iter().collect::<BTreeSet<_>>().len() == titles.len();
    let path = |file: &PathBuf| file.display().to_string();
    if are_different { titles } else { files.iter().map(path).collect() }
}

/// Reads the trace at `path`.
///
/// # Errors
/// If it cannot be read, or is no whole trace.
fn read(path: &Path) -> Result<Trace> {
    let shown = path.display();
    let file =
        File::open(path).map_err(|error| refused(format!("cannot read {shown}: {error}")))?;
    Trace::read(BufReader::with_capacity(1 << 20, file)).map_err(|error| match error {
        ReadError::File(error) => refused(format!("cannot read {shown}: {error}")),
        content => refused(format!("{shown}, {content}")),
    })
}
