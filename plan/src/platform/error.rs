//! Why a description of a machine cannot be read.

use std::io;
use std::path::PathBuf;

use tegula_files::WriteError;

/// Why a description of a machine, or a file of models, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The file cannot be read.
    #[error("cannot read the platform {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Neither a file nor a platform that comes with the program.
    #[error(
        "there is no platform '{name}'{}: give a file, or one of {}",
        nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean '{name}'?)")),
        listed.join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The listed name that resembles it most, if any does.
        nearest: Option<String>,
        /// The names that there are.
        listed: Vec<&'static str>,
    },
    /// Something in it is wrong.
    #[error("{origin}, line {line}: {message}")]
    Invalid {
        /// The file, or the name of a platform that comes with the program.
        origin: String,
        /// Line, counted from 1.
        line: usize,
        /// The field, what is wrong with it, and what to do.
        message: String,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A text with the name of where it comes from, to say where in it something is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) origin: &'a str,
    pub(super) text: &'a str,
}

impl Text<'_> {
    /// Reads the text as `T`.
    pub(super) fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, PlatformError> {
        toml::from_str(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let field = field_before(self.text, at);
            let field = field.map_or(String::new(), |field| format!("{field}: "));
            self.wrong(at, format_args!("{field}{}", error.message().replace('\n', " ")))
        })
    }

    /// The error that `message` at byte `at` is.
    pub(super) fn wrong(&self, at: usize, message: impl std::fmt::Display) -> PlatformError {
        let line = 1 + self.text.bytes().take(at).filter(|&byte| byte == b'\n').count();
        PlatformError::Invalid {
            origin: self.origin.to_owned(),
            line,
            message: message.to_string(),
        }
    }
}

/// The key of the value that begins at byte `at`.
fn field_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end().strip_suffix('=')?.trim_end();
    let is_key = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let start = before.trim_end_matches(is_key).len();
    Some(&before[start..]).filter(|key| !key.is_empty())
}
