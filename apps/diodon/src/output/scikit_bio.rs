//! `ordination.txt`: the text that scikit-bio's `OrdinationResults` reads, and through it QIIME 2
//! and Emperor.

use std::borrow::Cow;
use std::path::Path;

use tegula_files::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use super::shares::{Whole, eigenvalue_shares};
use crate::Ordination;

/// Writes the ordination as scikit-bio's text format `ordination`: eigenvalues, shares of the
/// trace, variables as `Species`, items as `Site`; the sections that this has nothing for are
/// empty.
///
/// Where axes are those of instruments, sections are as scikit-bio's `rda` has them: `Biplot` holds
/// correlations of instruments with axes, `Site constraints` the coordinates, and `Site` the items
/// where their own entries put them.
///
/// The format knows no quotes, so each tab, line end or control character of an id is written as
/// `_`, as is a blank at either end of it; an empty id is `_`. It has no place for the name of a
/// method. Without any axis the file has its sections, but scikit-bio refuses it, since it wants an
/// eigenvalue.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_scikit_bio(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    let (ids, items) = (&ordination.ids[..], ordination.columns());
    let sum = Whole::Trace.sum(ordination);
    let shares: Option<Vec<f64>> =
        eigenvalue_shares(&ordination.eigenvalues, sum).map(|x| x.share).collect();
    let variables = ordination.variables.as_ref();
    let species = variables.map_or_else(Vec::new, |variables| variables.columns());
    let constraints = ordination.constraints.as_ref();
    let sites: Vec<&[f64]> =
        constraints.map_or_else(|| items.clone(), |c| by_column(&c.along.sites, ids.len()));
    let biplot: Vec<&[f64]> =
        constraints.map_or_else(Vec::new, |c| by_column(&c.along.correlations, c.ids.len()));
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Tabs);
        vector(&mut rows, "Eigvals", &ordination.eigenvalues)?;
        vector(&mut rows, "Proportion explained", &shares.unwrap_or_default())?;
        matrix(&mut rows, "Species", (variables.map(|variables| &variables.ids[..]), &species))?;
        rows.end()?;
        matrix(&mut rows, "Site", (Some(ids), &sites))?;
        rows.end()?;
        matrix(&mut rows, "Biplot", (None, &biplot))?;
        rows.end()?;
        let constrained: &[&[f64]] = if constraints.is_some() { &items } else { &[] };
        matrix(&mut rows, "Site constraints", (Some(ids), constrained))?;
        Ok(rows.finish()?)
    })
}

/// The columns of a matrix with so many rows.
fn by_column(numbers: &[f64], rows: usize) -> Vec<&[f64]> {
    numbers.chunks_exact(rows.max(1)).collect()
}

/// A section that is one row, with the blank line after it.
fn vector(rows: &mut Rows<'_>, name: &str, values: &[f64]) -> std::io::Result<()> {
    rows.text(name);
    rows.count(values.len());
    rows.end()?;
    if !values.is_empty() {
        values.iter().for_each(|&value| rows.number(value));
        rows.end()?;
    }
    rows.end()
}

/// A section with a column for each axis, and the ids of its rows if they have some; without either
/// it is empty.
fn matrix(
    rows: &mut Rows<'_>,
    name: &str,
    (ids, axes): (Option<&[String]>, &[&[f64]]),
) -> std::io::Result<()> {
    let lines = axes.first().map_or(0, |axis| axis.len());
    rows.text(name);
    rows.count(lines);
    rows.count(if lines == 0 { 0 } else { axes.len() });
    rows.end()?;
    for line in 0..lines {
        if let Some(ids) = ids {
            rows.text(&bare(&ids[line]));
        }
        axes.iter().for_each(|axis| rows.number(axis[line]));
        rows.end()?;
    }
    Ok(())
}

/// `id` as a cell that needs no quotes.
fn bare(id: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if id == id.trim() && !id.is_empty() && !id.contains(breaks) {
        return Cow::Borrowed(id);
    }
    let middle = id.trim();
    let start = id.len() - id.trim_start().len();
    let blanks = |text: &str| "_".repeat(text.chars().count());
    let (before, after) = (&id[..start], &id[start + middle.len()..]);
    let text = format!("{}{}{}", blanks(before), middle.replace(breaks, "_"), blanks(after));
    Cow::Owned(if text.is_empty() { "_".to_owned() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lose_what_would_break_a_row() {
        let cells = ["a b", "a\tb", " a", "", " ", "x\r\ny", "é\u{85}"].map(bare);
        assert_eq!(cells, ["a b", "a_b", "_a", "_", "_", "x__y", "é_"]);
        assert!(matches!(bare("plain"), Cow::Borrowed(_)));
    }
}
