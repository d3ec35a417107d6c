//! Labels of items, from a file.

use std::path::Path;

use anyhow::Result;
use tegula_diodon::output::{Labels, LabelsOfItems};

use crate::output::Console;

/// Reads the labels of the items `ids` from `path`, if there is one, within `memory` bytes, and
/// says what does not match.
///
/// # Errors
/// If the file cannot be read, is no table of labels, or no item has an id of it.
pub(super) fn read(
    path: Option<&Path>,
    (ids, memory): (&[String], u64),
    console: &Console,
) -> Result<Option<LabelsOfItems>> {
    let Some(path) = path else { return Ok(None) };
    let labels = Labels::read_within(path, memory)?.of_items(ids)?;
    if let Some(message) = labels.message() {
        console.warn(message);
    }
    if labels.columns.len() > 1 {
        let names: Vec<&str> = labels.columns.iter().map(|column| column.name.as_str()).collect();
        let rest = "the page colours by the first, and offers the others";
        console.note(format_args!("columns of labels: {}; {rest}", names.join(", ")));
    }
    Ok(Some(labels))
}
