//! The axes of an ordination, as a table for people, and when an axis counts as found.

use tegula_diodon::Ordination;

use crate::output::{Align, Console, Table, number};

/// Prints the axes; `share` says what eigenvalues are shares of.
pub(super) fn describe_axes(console: &Console, ordination: &Ordination, share: &str) {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("axis", right),
        ("eigenvalue", right),
        (share, right),
        ("cumulated", right),
        ("residual", right),
    ]);
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let mut cumulated = 0.0;
    for (axis, &value) in ordination.eigenvalues.iter().enumerate() {
        cumulated += value;
        let residual = ordination.residuals.as_ref().map(|residuals| number(residuals[axis], 2));
        table.row(vec![
            (axis + 1).to_string(),
            number(value, 8),
            percent(value / ordination.trace),
            percent(cumulated / ordination.trace),
            residual.unwrap_or_default(),
        ]);
    }
    console.line(table);
}

/// A parser of tolerances of residuals.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| *value > 0.0 && *value < 1.0)
        .ok_or_else(|| format!("'{text}' is no tolerance: a number between 0 and 1, as 1e-6"))
}
