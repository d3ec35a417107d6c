//! mothur's column format: a line for each pair, with two names and their distance, in any order.
//!
//! Every pair has to be there, in one direction or in both. Names stand in the order in which they
//! appear; of a line the first or the second comes first, depending on which of the two the second
//! line repeats, so that the order of what writes the triangle row by row comes back. Source:
//! mothur manual, "Column-formatted distance matrix".

mod pairs;
mod read;
mod write;

use super::number::is_number;
use super::{Format, NameStorage, Writing};

/// The column format.
pub(super) const COLUMN: Format = Format {
    name: "mothur",
    endings: &[".column", ".mothur_column", ".column.dist"],
    is_text: true,
    signature: &[],
    summary: "mothur's column format: two names and their distance on each line",
    open: read::open,
    write: Some(Writing {
        create: write::create,
        names: NameStorage::One,
        is_square: true,
        is_triangle: true,
        element: None,
    }),
};

/// Whether a file that begins with `lines` looks like this.
pub(super) fn looks_like(lines: &[String]) -> bool {
    let is_pair = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words[..], [a, b, distance] if !is_number(a) && !is_number(b) && is_number(distance))
    };
    !lines.is_empty() && lines.iter().all(is_pair)
}
