//! CSV as people have it: the delimiter is found, a header may stand or not, decimals may be
//! commas.
//!
//! A [`Table`] holds every numeric column as `f64` and no text: a column that holds text is known
//! by its first such cell, and the rows are read again from the file when they have to be repeated
//! in a result.
//!
//! The text may be compressed or in UTF-16, as [`text`](crate::text) says. Rules, in the order in
//! which they apply:
//! - a byte order mark is skipped; `\n`, `\r\n` and `\r` end a line; lines that begin with `#` are
//!   comments; blank lines, and rows whose cells are all blank, are skipped; every one of them
//!   counts in line numbers;
//! - the delimiter is a comma, semicolon, tab, bar, or any run of blanks: the one that cuts the
//!   first rows into equally many cells, most of them numbers;
//! - where the delimiter is not a comma, a decimal comma is understood if the first rows show one;
//! - the first row is a header if it holds text where the rows below hold numbers;
//! - an empty cell, `NA`, `N/A`, `NaN`, `null`, `none` (in any case), `.` and `-` are missing
//!   values.

pub(crate) mod cell;
mod columns;
mod copy;
mod dialect;
mod input;
mod lines;
mod parts;
pub(crate) mod records;
mod shape;
mod source;
mod stored;
mod table;
mod texts;
mod write;

use super::text::shortened;

pub use columns::ColumnIndex;
pub use dialect::{Decimal, Delimiter, Dialect};
pub use parts::{PartWriter, Parts, TableFile};
pub use records::{Records, Row};
pub use shape::{Header, ReadOptions};
pub use table::Table;
pub use texts::Classes;
pub use write::{NamedValues, write_columns, write_columns_to};

/// The names of columns for a message: in quotes, the nameless by number, at most forty of them.
pub(super) fn display_names(names: &[String]) -> String {
    const SHOWN: usize = 40;
    let mut words: Vec<String> = names
        .iter()
        .enumerate()
        .take(SHOWN)
        .map(|(index, name)| match name.as_str() {
            "" => format!("(number {})", index + 1),
            name => format!("'{}'", shortened(name)),
        })
        .collect();
    if names.len() > SHOWN {
        words.push(format!("and {} more", names.len() - SHOWN));
    }
    words.join(", ")
}
