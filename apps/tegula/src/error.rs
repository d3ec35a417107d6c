//! What goes wrong, as a message on standard error and an exit code.

use std::fmt;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use tegula_diodon::EmbedError;
use tegula_diodon::output::LabelsError;
use tegula_exageostat::covariance::CovarianceError;
use tegula_exageostat::design::DependentColumn;
use tegula_exageostat::fit::FitError;
use tegula_exageostat::likelihood::LikelihoodError;
use tegula_exageostat::mean::MeanError;
use tegula_files::TableError;
use tegula_files::checkpoint::CheckpointError;
use tegula_files::expression::{EvaluateError, ParseError};
use tegula_files::npy::NpyError;
use tegula_files::source::SourceError;
use tegula_kernels::backend::BackendError;
use tegula_kernels::geometry::GeometryError;
use tegula_plan::distribution::DistributionError;
use tegula_plan::phases::PlanError;
use tegula_plan::platform::PlatformError;
use tegula_plan::platform::cluster::ClusterError;
use tegula_runtime::comm::mpi::StartError;
use tegula_runtime::ranks::Rank;

/// Exit code of a computation that failed.
pub(crate) const FAILED: u8 = 1;
/// Exit code of bad usage or bad input.
pub(crate) const REFUSED: u8 = 2;

/// Exit code of a run that was asked to end and has left a checkpoint (`EX_TEMPFAIL` of
/// sysexits.h).
pub(crate) const STOPPED: u8 = 75;

/// Exit code of a run that was asked to end by a signal, and has no checkpoint: this and the number
/// of the signal, as shells say of what a signal ended.
const INTERRUPTED: u8 = 128;

/// A run that was asked to end, with how to go on and its exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Stopped {
    message: String,
    code: u8,
}

/// The end of a run that was asked to, and has left a checkpoint; `message` says how to go on.
pub(crate) fn stopped(message: impl fmt::Display) -> anyhow::Error {
    Stopped { message: message.to_string(), code: STOPPED }.into()
}

/// The end of a run that the signal of this number asked to, and that has left no checkpoint;
/// `message` says what it has found.
pub(crate) fn interrupted(signal: u64, message: String) -> anyhow::Error {
    let signal = u8::try_from(signal).expect("numbers of signals are small");
    Stopped { message, code: INTERRUPTED + signal }.into()
}

/// Whether `failure` is none: the run was asked to end, and says how to go on.
pub(crate) fn is_stop(failure: &anyhow::Error) -> bool {
    failure.is::<Stopped>()
}

/// Flags or data that cannot be used, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

/// An error of usage or input that says `message`.
pub(crate) fn refused(message: impl fmt::Display) -> anyhow::Error {
    Refused(message.to_string()).into()
}

/// Whether `failure` was made by [`refused`] or [`no_room`].
pub(crate) fn is_refused(failure: &anyhow::Error) -> bool {
    failure.is::<Refused>() || is_no_room(failure)
}

/// What does not fit the memory, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NoRoom(String);

/// An error of a run that does not fit the memory, which says `message`.
pub(crate) fn no_room(message: impl fmt::Display) -> anyhow::Error {
    NoRoom(message.to_string()).into()
}

/// Whether `failure` was made by [`no_room`].
pub(crate) fn is_no_room(failure: &anyhow::Error) -> bool {
    failure.is::<NoRoom>()
}

/// The exit code of `failure`.
pub(crate) fn exit_code(failure: &anyhow::Error) -> u8 {
    match failure.downcast_ref::<Stopped>() {
        Some(stopped) => stopped.code,
        None if failure.chain().any(is_refusal) => REFUSED,
        None => FAILED,
    }
}

/// Whether the user's flags or data are to blame.
fn is_refusal(cause: &(dyn std::error::Error + 'static)) -> bool {
    let by_fit = cause.downcast_ref::<FitError>().is_some_and(|error| match error {
        FitError::Observations(_)
        | FitError::Bounds { .. }
        | FitError::TooFew { .. }
        | FitError::Outside { .. } => true,
        FitError::Start(error) | FitError::Likelihood(error) => is_covariance(error),
        FitError::Stopped { .. } => false,
    });
    let by_source = cause
        .downcast_ref::<SourceError>()
        .is_some_and(|error| !matches!(error, SourceError::Write { .. }));
    let by_table = cause
        .downcast_ref::<TableError>()
        .is_some_and(|error| !matches!(error, TableError::Write(_)));
    let by_entries = cause
        .downcast_ref::<EmbedError>()
        .is_some_and(|error| matches!(error, EmbedError::Entries(_)));
    by_fit
        || by_entries
        || by_source
        || by_table
        || cause.downcast_ref::<LikelihoodError>().is_some_and(is_covariance)
        || cause.is::<Refused>()
        || cause.is::<NoRoom>()
        || cause.is::<CheckpointError>()
        || cause.is::<DistributionError>()
        || cause.is::<StartError>()
        || cause.is::<NpyError>()
        || cause.is::<PlatformError>()
        || cause.is::<ClusterError>()
        || cause.is::<PlanError>()
        || cause.is::<ParseError>()
        || cause.is::<EvaluateError>()
        || cause.is::<LabelsError>()
        || cause.is::<CovarianceError>()
        || cause.is::<DependentColumn>()
        || cause.is::<MeanError>()
        || cause.is::<BackendError>()
        || cause.is::<GeometryError>()
}

fn is_covariance(error: &LikelihoodError) -> bool {
    matches!(error, LikelihoodError::Covariance(_))
}

/// Prints `failure` with its causes and returns its exit code.
pub(crate) fn report(failure: &anyhow::Error) -> ExitCode {
    let (label, is_failure) = if is_stop(failure) { ("", false) } else { ("error: ", true) };
    let _ = writeln!(std::io::stderr(), "{label}{}", message(failure));
    if is_failure {
        print_json(&message(failure), exit_code(failure));
    }
    ExitCode::from(exit_code(failure))
}

/// As [`report`], naming the `rank`, one of several, that has met the failure.
pub(crate) fn report_of(rank: Rank, failure: &anyhow::Error) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "rank {rank}: error: {}", message(failure));
    print_json(&message(failure), exit_code(failure));
    ExitCode::from(exit_code(failure))
}

/// Whether what goes wrong is printed as JSON, too, and nothing has been yet.
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Has failures from now on printed as JSON, too, if that `is_wanted`. Where a result has been
/// printed whole there is nothing more to say: a reader expects one object.
pub(crate) fn expect_json(is_wanted: bool) {
    AS_JSON.store(is_wanted, Ordering::Relaxed);
}

/// Prints what went wrong, with its exit code, as JSON to standard output if that is expected: the
/// first failure, since others follow from it.
pub(crate) fn print_json(message: &str, code: u8) {
    if AS_JSON.swap(false, Ordering::Relaxed) {
        let object = serde_json::json!({ "error": message, "exit_code": code });
        // Who closed the other end reads no more.
        let _ = writeln!(std::io::stdout(), "{object}");
    }
}

/// Characters of a message, beyond which those in the middle are left out: a name in it may be a
/// whole file.
const MOST_SHOWN: usize = 3000;

/// `failure` with its causes, so long that people can read it.
pub(crate) fn message(failure: &anyhow::Error) -> String {
    let whole = whole_message(failure);
    let count = whole.chars().count();
    if count <= MOST_SHOWN {
        return whole;
    }
    let start: String = whole.chars().take(MOST_SHOWN / 2).collect();
    let end: String = whole.chars().skip(count - MOST_SHOWN / 2).collect();
    format!("{start} [...] {end}")
}

/// `failure` with its causes.
fn whole_message(failure: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in failure.chain() {
        let text = cause.to_string();
        // A transparent error repeats its cause.
        if !message.ends_with(&text) {
            let between = if message.is_empty() { "" } else { ": " };
            message = message + between + &text;
        }
    }
    message
}

/// Prints the first panic as one message; the others follow from it. One that stands for a damaged
/// file is told as that.
pub(crate) fn announce_panics() {
    static ANNOUNCED: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        if tegula_files::is_guarded() || ANNOUNCED.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let place = info.location().map_or(String::new(), |place| format!(" ({place})"));
        let text = text.unwrap_or("something panicked");
        let _ = writeln!(
            std::io::stderr(),
            "error: {text}{place}\nThis is a defect of tegula {}, not of your input: please report it \
             with the command that led here.",
            env!("CARGO_PKG_VERSION"),
        );
        print_json(&format!("{text}{place}"), FAILED);
    }));
}
