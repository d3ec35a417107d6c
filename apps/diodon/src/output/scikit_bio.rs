//! `ordination.txt`: the text that scikit-bio's `OrdinationResults` reads, and through it QIIME 2 and Emperor.

use std::borrow::Cow;
use std::path::Path;

use tegula_data::format::{WriteError, write_atomically};

use super::cells::{Rows, Style};
use super::shares::{Whole, axis_rows};
use crate::Ordination;

/// Writes the ordination as scikit-bio's text format `ordination`: eigenvalues, shares of the trace, and the items as
/// `Site`; the sections that this has nothing for are empty.
///
/// The format knows no quotes, so each tab, line end or control character of an id is written as `_`, as is a blank
/// at either end of it; an empty id is `_`. It has no place for the name of a method. Without any axis the file has its
/// sections, but scikit-bio refuses it, since it wants an eigenvalue.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
pub fn write_scikit_bio(path: &Path, ordination: &Ordination) -> Result<(), WriteError> {
    let axes: Vec<&[f64]> = (0..ordination.axes()).map(|axis| ordination.axis(axis)).collect();
    let shares: Option<Vec<f64>> =
        axis_rows(ordination, Whole::Trace).map(|row| row.share).collect();
    write_atomically(path, |out| {
        let mut rows = Rows::new(out, Style::Tabs);
        vector(&mut rows, "Eigvals", &ordination.eigenvalues)?;
        vector(&mut rows, "Proportion explained", &shares.unwrap_or_default())?;
        empty(&mut rows, "Species")?;
        rows.end()?;
        let has_places = !axes.is_empty() && ordination.items() > 0;
        rows.text("Site");
        rows.count(if has_places { ordination.items() } else { 0 });
        rows.count(if has_places { axes.len() } else { 0 });
        rows.end()?;
        for (item, id) in ordination.ids.iter().enumerate().filter(|_| has_places) {
            rows.text(&bare(id));
            axes.iter().for_each(|axis| rows.number(axis[item]));
            rows.end()?;
        }
        rows.end()?;
        empty(&mut rows, "Biplot")?;
        rows.end()?;
        empty(&mut rows, "Site constraints")?;
        Ok(rows.finish()?)
    })
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

/// The head of a section without rows.
fn empty(rows: &mut Rows<'_>, name: &str) -> std::io::Result<()> {
    rows.text(name);
    rows.count(0);
    rows.count(0);
    rows.end()
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
