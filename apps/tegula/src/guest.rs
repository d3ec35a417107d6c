//! A command that another program runs in its own process: what that program lends in place of
//! files, what it keeps in place of outputs, and how it hears of progress and asks the run to end.
//!
//! The command is the same as on the command line, flag by flag, and so are its numbers and its
//! messages. Tables and matrices that are lent go by names where a flag takes a file; results are
//! kept under the names [`RESULT`], [`COLUMNS`] and [`MATRIX`]. Nothing is printed, and no signal
//! is caught.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::anyhow;
use clap::FromArgMatches;
use serde_json::Value;
use tegula_diodon::Ordination;
use tegula_exageostat::likelihood::LikelihoodError;
use tegula_files::source::{Source, SourceError};
use tegula_files::{Cells, Table, TableError};
use tegula_runtime::trace::Trace;

use crate::cli::{self, Cli};
use crate::error;
use crate::exageostat::obvious;
use crate::flags::trace;
use crate::usage;

/// The name of the result: what `--json` writes.
pub const RESULT: &str = "result.json";
/// The name of columns of numbers: what `predict` and `sample` write by `-o`.
pub const COLUMNS: &str = "columns.csv";
/// The name of a matrix: what `predict --joint` writes.
pub const MATRIX: &str = "matrix.npy";

/// Takes a line that says how far a run is, from any thread.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// What a program lends to a command.
#[derive(Clone, Default)]
pub struct Loan {
    /// Tables; the path of each is the name by which flags name it.
    pub tables: Vec<Table>,
    /// Matrices, likewise by their names.
    pub sources: Vec<Arc<dyn Source>>,
    /// Models as `fit` has returned them, by name.
    pub models: Vec<(PathBuf, Value)>,
    /// Once it is true, an iterative run ends after its current step.
    pub stop: Arc<AtomicBool>,
    /// Hears of progress, some times a second.
    pub report: Option<Report>,
}

impl fmt::Debug for Loan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loan").field("tables", &self.tables.len()).finish_non_exhaustive()
    }
}

/// What a command has left.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The whole result.
    pub result: Value,
    /// Columns of numbers with their names, a value for each row of the table of places.
    pub columns: Vec<(String, Vec<f64>)>,
    /// The entries of a square matrix, row by row.
    pub matrix: Vec<f64>,
    /// Items on axes, of commands that place some.
    pub ordination: Option<Ordination>,
    /// What would have been printed as warnings.
    pub warnings: Vec<String>,
}

/// What kind of failure a command has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Flags or data that cannot be used.
    Refused,
    /// A file that is not there.
    NotFound,
    /// A file that cannot be read or written.
    File,
    /// What does not fit the memory.
    Memory,
    /// A matrix that is singular, or not positive definite.
    Numerical,
    /// The run was asked to end.
    Stopped,
    /// Anything else; a defect among others.
    Failed,
}

/// Why a command has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Its kind.
    pub kind: Kind,
    /// What the program would print.
    pub message: String,
}

impl Failure {
    fn of(failure: &anyhow::Error) -> Self {
        let io = failure.chain().find_map(io_error);
        let is_numerical = failure.chain().any(|cause| {
            let likelihood = cause.downcast_ref::<LikelihoodError>();
            likelihood.is_some_and(|e| matches!(e, LikelihoodError::NotPositiveDefinite { .. }))
        });
        let kind = match io.map(std::io::Error::kind) {
            _ if error::is_stop(failure) => Kind::Stopped,
            Some(std::io::ErrorKind::NotFound) => Kind::NotFound,
            Some(std::io::ErrorKind::PermissionDenied) => Kind::File,
            _ if error::is_no_room(failure) => Kind::Memory,
            _ if is_numerical => Kind::Numerical,
            _ if error::exit_code(failure) == error::REFUSED => Kind::Refused,
            Some(_) => Kind::File,
            None => Kind::Failed,
        };
        Self { kind, message: error::message(failure) }
    }
}

/// The error of the system that `cause` is, or holds.
fn io_error<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a std::io::Error> {
    let of_table = cause.downcast_ref::<TableError>().and_then(|error| match error {
        TableError::Open { cause, .. } | TableError::Read { cause, .. } => Some(cause),
        _ => None,
    });
    let of_source = cause.downcast_ref::<SourceError>().and_then(|error| match error {
        SourceError::Read { cause, .. } | SourceError::Write { cause, .. } => Some(cause),
        _ => None,
    });
    cause.downcast_ref::<std::io::Error>().or(of_table).or(of_source)
}

/// A command that is running for another program.
struct Guest {
    loan: Loan,
    words: Vec<String>,
    kept: Kept,
}

thread_local! {
    static GUEST: RefCell<Option<Guest>> = const { RefCell::new(None) };
}

/// Runs the command that `words` are, which would stand after the name of the program, on this
/// thread, with what is lent.
///
/// # Errors
/// As the program would print them.
///
/// # Panics
/// If a command of this thread runs another one.
pub fn run(words: &[String], loan: Loan) -> Result<Kept, Failure> {
    let command = || catch_unwind(AssertUnwindSafe(|| parse(words)?.run(false)));
    let (done, kept) = host(loan, words, command);
    match done {
        Ok(Ok(())) => Ok(kept),
        Ok(Err(failure)) => Err(Failure::of(&failure)),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("something panicked");
            let message = format!("{text}: this is a defect of tegula, not of your input");
            Err(Failure { kind: Kind::Failed, message })
        }
    }
}

/// Stack of the thread that runs a command: as large as that of a program's first one.
const STACK: usize = 8 << 20;

/// A command that runs on a thread of its own, while the program that lends looks after its own
/// affairs, as signals.
#[derive(Debug)]
pub struct Running {
    ended: Mutex<Receiver<Result<Kept, Failure>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts the command that `words` are, as [`run`] takes them.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub fn start(words: Vec<String>, loan: Loan) -> std::io::Result<Self> {
        let stop = Arc::clone(&loan.stop);
        let (done, ended) = channel();
        let command = move || {
            // Nobody waits any more only if this process ends.
            let _ = done.send(run(&words, loan));
        };
        let thread = thread::Builder::new().name("tegula".to_owned()).stack_size(STACK);
        let thread = Some(thread.spawn(command)?);
        Ok(Self { ended: Mutex::new(ended), stop, thread })
    }

    /// Waits for its end, but no longer than this; what it has left, once, if it has ended.
    pub fn wait(&self, most: Duration) -> Option<Result<Kept, Failure>> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(most) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let message = "the command has ended without a word".to_owned();
                Some(Err(Failure { kind: Kind::Failed, message }))
            }
        }
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Running {
    /// Waits for its end: what is lent may be gone after it.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What `work` gives as a guest of this thread, and what it has left.
fn host<T>(loan: Loan, words: &[String], work: impl FnOnce() -> T) -> (T, Kept) {
    let guest = Guest { loan, words: words.to_vec(), kept: Kept::default() };
    let before = GUEST.with_borrow_mut(|place| place.replace(guest));
    assert!(before.is_none(), "a command runs on this thread");
    let done = work();
    let guest = GUEST.with_borrow_mut(Option::take).expect("it was put there");
    (done, guest.kept)
}

/// The command that these words are.
///
/// # Errors
/// What the command line refuses, in its words.
pub(crate) fn parse(words: &[String]) -> anyhow::Result<Cli> {
    let mut command = cli::command();
    let all = std::iter::once("tegula").chain(words.iter().map(String::as_str));
    let matches = command.try_get_matches_from_mut(all).map_err(|usage| {
        let text = usage::reworded(usage).render().to_string();
        let part = |start| {
            let found = text.split("\n\n").find_map(|part| part.trim_start().strip_prefix(start));
            found.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let said = part("error: ").unwrap_or_default();
        error::refused(match part("tip: ") {
            Some(tip) => format!("{said}; {tip}"),
            None => said,
        })
    })?;
    Cli::from_arg_matches(&matches).map_err(|usage| anyhow!("{usage}"))
}

/// Writes `trace` to `path`, in the form that its ending tells, as `--trace` does.
///
/// # Errors
/// If the ending is none that is known, or those of the file.
pub fn write_trace(path: &Path, trace: &Trace) -> Result<(), Failure> {
    let (written, _) = host(Loan::default(), &[], || trace::write_to(path, trace));
    written.map_err(|failure| Failure::of(&failure))
}

/// Whether a table with columns of these names has some that are taken for coordinates unless told
/// otherwise.
#[must_use]
pub fn has_obvious_coordinates(names: Vec<String>) -> bool {
    let columns = names.into_iter().map(|name| (name, Cells::Numbers(vec![0.0])));
    let table = Table::of_columns(Path::new("X"), columns.collect(), ("row", 0));
    obvious::coordinates(&table, |_| Ok(false)).is_ok()
}

/// What `see` finds in the command of this thread, if that is a guest.
fn with<T>(see: impl FnOnce(&Guest) -> Option<T>) -> Option<T> {
    GUEST.with_borrow(|guest| guest.as_ref().and_then(see))
}

/// Has the command of this thread, if that is a guest, keep something; whether it is one.
fn keep(put: impl FnOnce(&mut Kept)) -> bool {
    GUEST.with_borrow_mut(|guest| guest.as_mut().map(|guest| put(&mut guest.kept)).is_some())
}

/// Whether the command of this thread runs for another program.
pub(crate) fn is_guest() -> bool {
    with(|_| Some(())).is_some()
}

/// The words of the command of this thread, if it is a guest.
pub(crate) fn words() -> Option<Vec<String>> {
    with(|guest| Some(guest.words.clone()))
}

/// Whether the command of this thread was asked to end.
pub(crate) fn is_stopped() -> bool {
    with(|guest| Some(guest.loan.stop.load(Ordering::Relaxed))) == Some(true)
}

/// Who hears of the progress of this command.
pub(crate) fn report() -> Option<Report> {
    with(|guest| guest.loan.report.clone())
}

/// The table that is lent as `path`.
pub(crate) fn table(path: &Path) -> Option<Table> {
    with(|guest| guest.loan.tables.iter().find(|table| table.path() == path).cloned())
}

/// The matrix that is lent as `name`.
pub(crate) fn source(name: &std::ffi::OsStr) -> Option<Arc<dyn Source>> {
    with(|guest| guest.loan.sources.iter().find(|source| source.name() == name).cloned())
}

/// The model that is lent as `path`.
pub(crate) fn model(path: &Path) -> Option<Value> {
    let find = |guest: &Guest| guest.loan.models.iter().find(|(name, _)| name == path).cloned();
    with(find).map(|(_, model)| model)
}

/// Whether what is written to `path` is kept for the program instead.
pub(crate) fn keeps(path: &Path) -> bool {
    is_guest() && [RESULT, COLUMNS, MATRIX].iter().any(|name| Path::new(name) == path)
}

/// Keeps the whole result.
pub(crate) fn keep_result(value: &Value) {
    keep(|kept| kept.result = value.clone());
}

/// Keeps columns of numbers.
pub(crate) fn keep_columns(columns: Vec<(String, Vec<f64>)>) {
    keep(|kept| kept.columns = columns);
}

/// Keeps the entries of a matrix.
pub(crate) fn keep_matrix(entries: &[f64]) {
    keep(|kept| kept.matrix = entries.to_vec());
}

/// Keeps items on axes.
pub(crate) fn keep_ordination(ordination: &Ordination) {
    keep(|kept| kept.ordination = Some(ordination.clone()));
}

/// Keeps a warning; whether there is someone to keep it for.
pub(crate) fn keep_warning(text: &str) -> bool {
    keep(|kept| kept.warnings.push(text.to_owned()))
}
