//! What can go wrong with a table file: one variant per cause, each with the file, line and column
//! it concerns.

use std::io;
use std::path::PathBuf;

use super::csv::display_names;

/// Why a table could not be read, or why a column of it could not be used.
///
/// Lines are those of the file, counted from 1; comments and blank lines count.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file could not be opened.
    #[error("cannot open {}: {cause}", path.display())]
    Open {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The path names a folder.
    #[error("{} is a folder; name a CSV file in it", path.display())]
    Folder {
        /// The path asked for.
        path: PathBuf,
    },
    /// Reading failed half way.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file being read.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file holds no row at all: nothing, or only comments and blank lines.
    #[error("{} is empty: no row of data in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The first line is a spreadsheet's note about the delimiter.
    #[error("{}, line 1: '{text}' is a spreadsheet's note about the delimiter, no row: remove the line", path.display())]
    DelimiterNote {
        /// The file.
        path: PathBuf,
        /// The line.
        text: String,
    },
    /// The file holds a header and nothing below it.
    #[error("{} has a header ({}) but no row of data below it", path.display(), display_names(columns))]
    OnlyHeader {
        /// The file.
        path: PathBuf,
        /// The names that the header gives.
        columns: Vec<String>,
    },
    /// Bytes that are not UTF-8.
    #[error("{}, line {line}: not UTF-8 text; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Line of the first offending row.
        line: u64,
    },
    /// A row with more or fewer cells than the table has columns.
    #[error("{}, line {line}: {found} cells where the table has {expected} columns ({dialect})", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// Line of the row.
        line: u64,
        /// Columns of the table.
        expected: usize,
        /// Cells of this row.
        found: usize,
        /// The dialect in words, since a wrong delimiter is the usual cause.
        dialect: String,
    },
    /// A quoted cell that is never closed.
    #[error("{}, line {line}: a quote is opened in this row and never closed", path.display())]
    UnclosedQuote {
        /// The file.
        path: PathBuf,
        /// Line on which the row begins.
        line: u64,
    },
    /// No column of that name, nor of that number.
    #[error(
        "{} has no column '{wanted}'{}; its columns are {}",
        path.display(),
        nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean '{name}'?)")),
        display_names(columns)
    )]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        wanted: String,
        /// The name that resembles it most, if any does.
        nearest: Option<String>,
        /// Every column.
        columns: Vec<String>,
    },
    /// Several columns of that name.
    #[error(
        "{} has several columns called '{wanted}' (numbers {}); give the number instead",
        path.display(),
        numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    )]
    AmbiguousColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        wanted: String,
        /// The 1-based numbers of the columns that bear it.
        numbers: Vec<usize>,
    },
    /// A column asked for as numbers holds text.
    #[error(
        "{}, {word} {line}, column '{column}': '{text}' is not a number; {}correct it, leave the cell empty, or choose \
         another column",
        path.display(),
        decimal_comma(text)
    )]
    NotANumber {
        /// The file.
        path: PathBuf,
        /// What a row is called: a line, a pixel.
        word: &'static str,
        /// Line of the first such cell.
        line: u64,
        /// Name of the column.
        column: String,
        /// What the cell says, cut after 40 characters.
        text: String,
    },
    /// A cell that is infinite, or a number too large for double precision.
    #[error(
        "{}, {word} {line}, column '{column}': '{text}' is not finite; correct it or leave the cell empty",
        path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// What a row is called: a line, a pixel.
        word: &'static str,
        /// Line of the first such cell.
        line: u64,
        /// Name of the column.
        column: String,
        /// What the cell says, cut after 40 characters.
        text: String,
    },
    /// Missing values where none may be.
    #[error(
        "{}, {word} {line}, column '{column}': missing value ({rows} of the {of} rows lack one); fill it in, or drop \
         such rows",
        path.display()
    )]
    MissingValue {
        /// The file.
        path: PathBuf,
        /// What a row is called: a line, a pixel.
        word: &'static str,
        /// Line of the first row that lacks a value.
        line: u64,
        /// Column that lacks it there.
        column: String,
        /// Rows that lack a value in at least one of the columns asked for.
        rows: usize,
        /// Rows in all.
        of: usize,
    },
    /// The file is not what it was when it was first read.
    #[error("{} changed while it was in use; run again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why a file could not be written. What stood at `path` before is untouched.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {cause}{}", path.display(), advice(cause))]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system said.
    pub cause: io::Error,
}

/// What to do about the usual causes.
pub(crate) fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "; does the folder exist?",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; no part of it is left there: free some space or write elsewhere"
        }
        io::ErrorKind::IsADirectory => "; name a file in it",
        _ => "",
    }
}

/// A remark if `text` is a number with a decimal comma.
fn decimal_comma(text: &str) -> &'static str {
    let is_number = text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok();
    if is_number {
        "a file with decimal commas needs another delimiter (semicolon, tab); "
    } else {
        ""
    }
}
