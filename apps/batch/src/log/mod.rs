//! Logs of jobs as text: reading them, writing them, cleaning them.

mod cells;
mod clean;
mod native;
mod outcomes;
mod program;
mod requests;
mod results;
mod sacct;
mod swf;

pub use clean::{clean, evaluate, infer_files, name_files};
pub use native::{read_native, write_native};
pub use outcomes::read_outcomes;
pub use requests::{Requests, is_requests, read_requests};
pub use results::{read_measured, read_usage};

use crate::job::Workload;

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LogError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong, and what to do.
    pub what: String,
}

/// A log that was read.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Its jobs.
    pub workload: Workload,
    /// What the user should know of it, in sentences.
    pub notes: Vec<String>,
}

/// A format of logs.
#[derive(Debug)]
pub struct LogFormat {
    /// Its name, as flags take it.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    is_it: fn(&str) -> bool,
    read: fn(&str) -> Result<Read, LogError>,
}

impl LogFormat {
    /// Reads `text`.
    ///
    /// # Errors
    /// With the line.
    pub fn read(&self, text: &str) -> Result<Read, LogError> {
        let read = (self.read)(text)?;
        if read.workload.jobs.is_empty() {
            return Err(LogError { line: 1, what: "there is no job that ran".to_owned() });
        }
        Ok(read)
    }
}

/// All formats; the first that a text looks like is taken.
pub static LOG_FORMATS: &[LogFormat] = &[
    LogFormat {
        name: "sacct",
        summary: "what sacct --parsable2 of Slurm prints",
        is_it: sacct::is_it,
        read: sacct::read,
    },
    LogFormat {
        name: "swf",
        summary: "Standard Workload Format",
        is_it: swf::is_it,
        read: swf::read,
    },
    LogFormat {
        name: "program",
        summary: "that of the published program, { id: 1 subtime: 0 ... }",
        is_it: program::is_it,
        read: program::read,
    },
    LogFormat {
        name: "csv",
        summary: "the project's own table, workload.csv",
        is_it: |_| true,
        read: |text| Ok(Read { workload: read_native(text)?, notes: Vec::new() }),
    },
];

/// The format that `text` looks like.
///
/// # Panics
/// Never: the last of the list takes every text.
#[must_use]
pub fn format_of(text: &str) -> &'static LogFormat {
    LOG_FORMATS.iter().find(|format| (format.is_it)(text)).expect("the last takes all")
}

/// What was left out or filled in of a log.
#[derive(Debug, Default)]
struct Skipped {
    never_ran: usize,
    without_limit: usize,
}

impl Skipped {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.never_ran > 0 {
            notes.push({
                let jobs = clean::jobs(self.never_ran, "that never ran is", "that never ran are");
                format!("{jobs} left out")
            });
        }
        if self.without_limit > 0 {
            notes.push(format!(
                "{} no time limit: the time that was taken stands for it",
                clean::jobs(self.without_limit, "has", "have")
            ));
        }
        notes
    }
}
