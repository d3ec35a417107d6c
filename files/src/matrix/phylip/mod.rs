//! PHYLIP's distance matrices: the number of rows, then a row per item with its name, square or the
//! lower triangle.
//!
//! Names end at the first blank (relaxed), or hold blanks and end before the numbers, of which it
//! is known how many follow; if a file does not fit that, names are its first ten characters
//! (strict). The numbers of a row may take several lines. The lower triangle comes with the
//! diagonal or without. Source: PHYLIP 3.6, `distance.html`.

mod form;
mod read;
mod write;

use super::{Format, NameStorage, Writing};

pub(super) use form::looks_like;
pub(super) use write::words;

/// The square form; either is read.
pub(super) const SQUARE: Format = Format {
    name: "phylip",
    endings: &[".phy", ".phylip", ".phylip_square"],
    is_text: true,
    signature: &[],
    summary: "PHYLIP distances, square; the lower triangle is read too",
    open: read::open,
    write: Some(Writing {
        create: |path, content| write::create(path, content, false),
        names: NameStorage::One,
        is_square: true,
        is_triangle: false,
        element: None,
    }),
};

/// The lower triangle; either is read.
pub(super) const LOWER: Format = Format {
    name: "phylip-lower",
    endings: &[".phylip_lower", ".lower.phy", ".lower.phylip"],
    is_text: true,
    signature: &[],
    summary: "PHYLIP distances, lower triangle without the diagonal",
    open: read::open,
    write: Some(Writing {
        create: |path, content| write::create(path, content, true),
        names: NameStorage::One,
        is_square: true,
        is_triangle: true,
        element: None,
    }),
};
