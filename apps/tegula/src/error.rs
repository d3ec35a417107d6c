//! What goes wrong, as a message on standard error and an exit code.

use std::fmt;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use tegula_data::expression::{EvaluateError, ParseError};
use tegula_data::format::TableError;
use tegula_data::format::npy::NpyError;
use tegula_data::platform::PlatformError;
use tegula_data::source::SourceError;
use tegula_diodon::EmbedError;
use tegula_exageostat::covariance::CovarianceError;
use tegula_exageostat::design::DependentColumn;
use tegula_exageostat::fit::FitError;
use tegula_exageostat::likelihood::LikelihoodError;
use tegula_kernels::backend::BackendError;
use tegula_kernels::geometry::GeometryError;

/// Exit code of a computation that failed.
pub(crate) const FAILED: u8 = 1;
/// Exit code of bad usage or bad input.
pub(crate) const REFUSED: u8 = 2;

/// Flags or data that cannot be used, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

/// An error of usage or input that says `message`.
pub(crate) fn refused(message: impl fmt::Display) -> anyhow::Error {
    Refused(message.to_string()).into()
}

/// The exit code of `failure`.
pub(crate) fn exit_code(failure: &anyhow::Error) -> u8 {
    if failure.chain().any(is_refusal) { REFUSED } else { FAILED }
}

/// Whether the user's flags or data are to blame.
fn is_refusal(cause: &(dyn std::error::Error + 'static)) -> bool {
    let by_fit = cause.downcast_ref::<FitError>().is_some_and(|error| match error {
        FitError::Observations(_) | FitError::Bounds { .. } => true,
        FitError::Start(error) | FitError::Likelihood(error) => is_covariance(error),
    });
    let by_source = cause
        .downcast_ref::<SourceError>()
        .is_some_and(|error| !matches!(error, SourceError::Write { .. }));
    let by_entries = cause
        .downcast_ref::<EmbedError>()
        .is_some_and(|error| matches!(error, EmbedError::Entries(_)));
    by_fit
        || by_entries
        || by_source
        || cause.downcast_ref::<LikelihoodError>().is_some_and(is_covariance)
        || cause.is::<Refused>()
        || cause.is::<TableError>()
        || cause.is::<NpyError>()
        || cause.is::<PlatformError>()
        || cause.is::<ParseError>()
        || cause.is::<EvaluateError>()
        || cause.is::<CovarianceError>()
        || cause.is::<DependentColumn>()
        || cause.is::<BackendError>()
        || cause.is::<GeometryError>()
}

fn is_covariance(error: &LikelihoodError) -> bool {
    matches!(error, LikelihoodError::Covariance(_))
}

/// Prints `failure` with its causes and returns its exit code.
pub(crate) fn report(failure: &anyhow::Error) -> ExitCode {
    let mut message = String::new();
    for cause in failure.chain() {
        let text = cause.to_string();
        // A transparent error repeats its cause.
        if !message.ends_with(&text) {
            let between = if message.is_empty() { "" } else { ": " };
            message = message + between + &text;
        }
    }
    let _ = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::from(exit_code(failure))
}

/// Prints the first panic as one message; the others follow from it.
pub(crate) fn announce_panics() {
    static ANNOUNCED: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        if ANNOUNCED.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let place = info.location().map_or(String::new(), |place| format!(" ({place})"));
        let _ = writeln!(
            std::io::stderr(),
            "error: {}{place}\nThis is a defect of tegula {}, not of your input: please report it \
             with the command that led here.",
            text.unwrap_or("something panicked"),
            env!("CARGO_PKG_VERSION"),
        );
    }));
}
