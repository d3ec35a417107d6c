//! What can be wrong with an expression, shown with a caret under the place.

use std::fmt;

use crate::TableError;

/// A piece of a text, as byte positions: from `start` up to but without `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

impl Span {
    /// From the start of this one to the end of `last`.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }
}

/// An expression that cannot be understood. Its display has three lines: what is wrong, the text,
/// and carets under the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n{}", Marked { text, span: *span })]
pub struct ParseError {
    /// What is wrong, and what to write instead.
    pub message: String,
    /// The whole text.
    pub text: String,
    /// The place in the text.
    pub span: Span,
}

impl ParseError {
    /// What is wrong at `span` of `text`.
    pub fn new(text: &str, span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), text: text.to_owned(), span }
    }
}

/// An expression that cannot be evaluated over a table.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// A column that the table lacks, or that holds text.
    #[error("{cause}\n{}", Marked { text, span: *span })]
    Column {
        /// The whole expression.
        text: String,
        /// Where the column stands in it.
        span: Span,
        /// What the table says.
        cause: Box<TableError>,
    },
    /// A result that is no number, from inputs that are.
    #[error("{row}: {what} is not a finite number\n{}", Marked { text, span: *span })]
    NotFinite {
        /// The first row at which this happens: its file and its line, or what else it is called.
        row: String,
        /// The operation with its inputs there, such as `log(-2)`.
        what: String,
        /// The whole expression.
        text: String,
        /// Where the operation stands in it.
        span: Span,
    },
}

/// Two lines: a text, and carets under a piece of it.
struct Marked<'a> {
    text: &'a str,
    span: Span,
}

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { start, end } = self.span;
        let before = self.text[..start].chars().count();
        let marked = self.text[start..end].chars().count().max(1);
        let line: String =
            self.text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        write!(f, "  {line}\n  {}{}", " ".repeat(before), "^".repeat(marked))
    }
}
