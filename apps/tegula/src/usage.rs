//! What the command line says of numbers that it cannot read.

use std::error::Error;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// `error` in words for who typed the number, if that is what it is about, and not in those of the
/// language.
pub(crate) fn reworded(error: clap::Error) -> clap::Error {
    let Some(words) = error.source().and_then(wanted) else { return error };
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (flag, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    let message = format!(
        "invalid value '{value}' for '{flag}': {words}\n\nFor more information, try '--help'.\n"
    );
    let mut reworded = clap::Error::raw(ErrorKind::ValueValidation, message);
    reworded.insert(ContextKind::InvalidArg, ContextValue::String(flag));
    reworded.insert(ContextKind::InvalidValue, ContextValue::String(value));
    reworded
}

/// What is wanted instead of the number that `cause` is about.
fn wanted(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    if cause.is::<ParseFloatError>() {
        return Some("give a number");
    }
    cause.downcast_ref::<ParseIntError>().map(|error| match error.kind() {
        IntErrorKind::PosOverflow => "this number is too large",
        _ => "give a whole number, 0 or more",
    })
}
