//! Everything that is printed: lines for people, JSON for programs, and where each goes.

mod account;
mod deferring;
mod forms;
mod meter;
mod numbers;
mod paths;
mod progress;
mod table;
pub(crate) mod transfers;

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use tegula_files::{FillError, WriteError, write_atomically};

use crate::checkpoint::tidy_on_signals;
use crate::{error, guest, ranks, seat};

pub(crate) use account::Account;
pub(crate) use deferring::DeferringWriter;
pub(crate) use forms::{Form, check_form};
pub(crate) use meter::{begin_energy, joules_of_host, meter, microjoules};
pub(crate) use numbers::{
    bytes, bytes_up, count, energy, number, percent, range, ranges, rate, seconds,
};
pub(crate) use paths::{check_folder, check_folder_to_make, check_output, folder_of};
pub(crate) use progress::Progress;
pub(crate) use table::{Align, Table};

/// The path that stands for standard output.
pub(crate) const STANDARD_OUTPUT: &str = "-";

/// Whether `path` stands for standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STANDARD_OUTPUT) || path == Path::new("/dev/stdout")
}

/// What a person reads, and how much of it.
#[derive(Debug)]
pub(crate) struct Console {
    /// Standard output is taken by data, so that lines go to standard error.
    is_diverted: bool,
    is_quiet: bool,
    /// Whether rank 0 prints nothing but warnings, which all ranks know.
    is_silent: bool,
    verbose: bool,
    /// Why standard output stopped taking lines.
    failure: RefCell<Option<io::Error>>,
}

impl Console {
    /// A console that prints nothing if `is_quiet`, more if `verbose`, and to standard error if
    /// `is_diverted`.
    pub(crate) fn new(is_diverted: bool, is_quiet: bool, verbose: bool) -> Self {
        let is_quiet = is_quiet || guest::is_guest();
        let (is_silent, is_quiet) = (is_quiet, is_quiet || !ranks::is_root());
        Self { is_diverted, is_quiet, is_silent, verbose, failure: RefCell::new(None) }
    }

    /// Whether details are wanted.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose && !self.is_quiet
    }

    /// Whether nothing but warnings is wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Whether nothing but warnings is wanted of any rank.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent
    }

    /// Prints a line, or several.
    pub(crate) fn line(&self, text: impl fmt::Display) {
        if self.is_quiet || self.failure.borrow().is_some() {
            return;
        }
        let text = seat::labelled(text.to_string());
        let written = if self.is_diverted {
            writeln!(io::stderr().lock(), "{text}")
        } else {
            writeln!(io::stdout().lock(), "{text}")
        };
        if let Err(error) = written {
            *self.failure.borrow_mut() = Some(error);
        }
    }

    /// Prints a labelled line of the head of a run.
    pub(crate) fn field(&self, label: &str, text: impl fmt::Display) {
        self.line(format_args!("{label:<12} {text}"));
    }

    /// Prints a line if details are wanted.
    pub(crate) fn detail(&self, text: impl fmt::Display) {
        if self.verbose {
            self.line(text);
        }
    }

    /// Prints what the user should know, folded to the width of a page.
    pub(crate) fn note(&self, text: impl fmt::Display) {
        self.line(folded("note: ", &text.to_string()));
    }

    /// Prints to standard error what the user should know of input or result, folded like a note.
    pub(crate) fn remark(&self, text: impl fmt::Display) {
        self.log(folded("note: ", &text.to_string()));
    }

    /// Prints a line to standard error, where progress goes.
    pub(crate) fn log(&self, text: impl fmt::Display) {
        if !self.is_quiet {
            let _ = writeln!(io::stderr().lock(), "{}", seat::labelled(text.to_string()));
        }
    }

    /// Prints a warning to standard error, also when quiet.
    pub(crate) fn warn(&self, text: impl fmt::Display) {
        if !ranks::is_root() || guest::keep_warning(&text.to_string()) {
            return;
        }
        let text = seat::labelled(folded("warning: ", &text.to_string()));
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Flushes, and says whether everything could be printed. A reader that closed its end, as
    /// `head` does, has read what it wanted.
    ///
    /// # Errors
    /// Those of standard output.
    pub(crate) fn finish(self) -> Result<()> {
        let failure = self.failure.into_inner().or_else(|| io::stdout().flush().err());
        match failure {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(error).context("cannot write to standard output")
            }
            _ => Ok(()),
        }
    }
}

/// `text` after `label`, in lines of at most 96 characters that are indented alike.
fn folded(label: &str, text: &str) -> String {
    let indent = " ".repeat(label.len());
    let mut lines = vec![label.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.chars().count() + 1 + word.chars().count() > 96 && line.len() > label.len() {
            lines.push(format!("{indent}{word}"));
        } else {
            let gap = if line.len() > label.len() { " " } else { "" };
            *line += gap;
            *line += word;
        }
    }
    lines.join("\n")
}

/// Writes `path` through `fill`: standard output, or a file, all of it or nothing. Over ranks all
/// fill and rank 0 writes.
///
/// # Errors
/// Those of `fill` and of the file; a reader that closed its end is none.
pub(crate) fn write_file<E>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FillError<E>>,
) -> Result<()>
where
    E: From<WriteError> + std::error::Error + Send + Sync + 'static,
{
    if !ranks::is_root() || guest::keeps(path) {
        return fill(&mut io::sink()).map_err(|error| match error {
            FillError::Content(error) => error.into(),
            FillError::File(error) => error.into(),
        });
    }
    if !is_standard_output(path) {
        return write_to_file(path, fill);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut whole = DeferringWriter::new(&mut out);
    match fill(&mut whole).and_then(|()| Ok(whole.finish()?)).and_then(|()| Ok(out.flush()?)) {
        Err(FillError::Content(error)) => Err(error.into()),
        Err(FillError::File(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Why a file was not filled: the file, or anything else that happened on the way.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Filling {
    /// The file.
    #[error(transparent)]
    File(#[from] WriteError),
    /// What was to be written could not be made.
    #[error("{0}")]
    Content(anyhow::Error),
}

impl Filling {
    /// What `error` of [`write_file`] was caused by.
    pub(crate) fn cause(error: anyhow::Error) -> anyhow::Error {
        match error.downcast::<Self>() {
            Ok(Self::Content(error)) => error,
            Ok(error) => error.into(),
            Err(error) => error,
        }
    }
}

/// `error`, for which a file cannot be filled.
pub(crate) fn unfilled(error: impl Into<anyhow::Error>) -> FillError<Filling> {
    FillError::Content(Filling::Content(error.into()))
}

/// Writes the file `path` through `fill`, which comes to its end also where the file fails: other
/// ranks may be at it.
fn write_to_file<E>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FillError<E>>,
) -> Result<()>
where
    E: From<WriteError> + std::error::Error + Send + Sync + 'static,
{
    tidy_on_signals();
    if ranks::ranks() == 1 {
        return Ok(write_atomically(path, fill)?);
    }
    let mut fill = Some(fill);
    let written = write_atomically(path, |out| {
        let mut out = DeferringWriter::new(out);
        let fill = fill.take().expect("a file is filled once");
        fill(&mut out)?;
        Ok(out.finish()?)
    });
    if let Some(fill) = fill {
        // The file could not even be opened; that is what is told.
        let _ = fill(&mut io::sink());
    }
    Ok(written?)
}

/// Writes `value` as JSON to `path`.
///
/// # Errors
/// Those of the file.
pub(crate) fn write_json(path: &Path, value: &Value) -> Result<()> {
    if guest::keeps(path) {
        guest::keep_result(value);
        return Ok(());
    }
    write_file::<WriteError>(path, |out| Ok(writeln!(out, "{value:#}")?))?;
    if is_standard_output(path) {
        error::expect_json(false);
    }
    Ok(())
}
