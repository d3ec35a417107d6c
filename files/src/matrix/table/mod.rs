//! Tables as text: a row per line, cells between commas, tabs or other delimiters, names in quotes
//! where needed.
//!
//! Rules for reading, beside those of [`csv`](crate::csv) for lines, comments and quotes:
//! - the delimiter is the one that cuts the first rows into equally many cells, most of them
//!   numbers;
//! - the first row is a header if it is one cell shorter than the next, if its first cell is empty
//!   or says what names are (`id`, `name`, `sample`, `SEQ_ID` ...), if it begins with text and most
//!   of its other cells are no numbers or the first cell of the second row is among them (names may
//!   be numbers), or if all its other cells are text;
//! - the first column holds names if the header is shorter or begins as above, if it begins with
//!   text, or if its first name is also in the header;
//! - blanks around names and numbers do not count; names that are all empty are none.
//!
//! pydiodon's `.sw.dis`, and what R, pandas, QIIME and scikit-bio write, are such tables.

mod head;
mod read;
mod write;

use super::{Create, Format, NameStorage, Writing};

pub(super) use read::no_parts;

/// Comma-separated values.
pub(super) const CSV: Format = Format {
    name: "csv",
    endings: &[".csv"],
    is_text: true,
    signature: &[],
    summary: "table with commas (or the delimiter that is found), with or without names",
    open: read::open,
    write: Some(writing(|path, content| write::create(path, content, ','))),
};

/// Tab-separated values.
pub(super) const TSV: Format = Format {
    name: "tsv",
    endings: &[".tsv", ".tab", ".sw.dis", ".dissw"],
    is_text: true,
    signature: &[],
    summary: "table with tabs, as QIIME, scikit-bio, R and pydiodon (.sw.dis) have it",
    open: read::open,
    write: Some(writing(|path, content| write::create(path, content, '\t'))),
};

const fn writing(create: Create) -> Writing {
    let (names, is_square, is_triangle) = (NameStorage::Both, false, false);
    Writing { create, names, is_square, is_triangle, element: None }
}

/// What the first cell of a header says where the column below holds names, in any case.
const CORNERS: [&str; 12] = [
    "id",
    "ids",
    "name",
    "names",
    "label",
    "labels",
    "sample",
    "samples",
    "seq_id",
    "row.names",
    "rownames",
    "otu id",
];

/// Whether `cell` is the first of a header above names.
fn is_corner(cell: &str) -> bool {
    cell.is_empty() || CORNERS.iter().any(|corner| cell.eq_ignore_ascii_case(corner))
}
