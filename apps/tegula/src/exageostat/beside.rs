//! Tables written again with columns of results beside their own.

use std::path::Path;

use anyhow::Result;
use tegula_files::{NamedValues, Table};

use super::transform::Column;
use crate::guest;
use crate::output::write_file;

/// Writes `columns`, which are of these rows of the table, to `path` beside its own; returns their
/// names.
pub(super) fn write_beside(
    path: &Path,
    (table, rows): (&Table, &[usize]),
    columns: &[Column],
) -> Result<Vec<String>> {
    let spread = |(name, values): &Column| {
        let mut column = vec![f64::NAN; table.rows()];
        rows.iter().zip(values).for_each(|(&row, value)| column[row] = *value);
        (*name, column)
    };
    let columns: Vec<Column> = columns.iter().map(spread).collect();
    let names: Vec<String> =
        columns.iter().map(|(name, _)| free_name(table.names(), name, "predicted")).collect();
    if guest::keeps(path) {
        let values = columns.into_iter().map(|(_, values)| values);
        guest::keep_columns(names.iter().cloned().zip(values).collect());
        return Ok(names);
    }
    let pairs = names.iter().zip(&columns);
    let extra: Vec<NamedValues<'_>> =
        pairs.map(|(name, (_, values))| NamedValues { name, values }).collect();
    write_file(path, |out| table.fill_with(out, &extra))?;
    Ok(names)
}

/// `name`, or a variant of it that is none of the `others`.
pub(super) fn free_name(others: &[String], name: &str, prefix: &str) -> String {
    let is_free = |name: &String| others.iter().all(|other| !other.eq_ignore_ascii_case(name));
    let variants = (2..).map(|number| format!("{prefix}_{name}_{number}"));
    [name.to_owned(), format!("{prefix}_{name}")]
        .into_iter()
        .chain(variants)
        .find(is_free)
        .unwrap_or_else(|| name.to_owned())
}
