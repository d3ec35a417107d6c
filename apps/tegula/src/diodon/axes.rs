//! The axes of an ordination, as a table for people and as keys for programs, and when an axis
//! counts as found.

use serde_json::{Value, json};
use tegula_diodon::output::{Whole, eigenvalue_shares};
use tegula_diodon::{Accuracy, Ordination, OrdinationInput};

use crate::output::{Align, Console, Table, number};

/// Prints the axes, with what they are shares of; where negative eigenvalues make them differ, of
/// the positive ones as well.
pub(super) fn describe_axes(console: &Console, ordination: &Ordination) {
    let right = Align::Right;
    let values = &ordination.eigenvalues;
    let is_estimated = ordination.accuracy == Accuracy::Estimated;
    let eigenvalue = if is_estimated { "eigenvalue (estimate)" } else { "eigenvalue" };
    let mut columns = vec![("axis", right), (eigenvalue, right)];
    let wholes: Vec<Whole> =
        Whole::known(ordination).into_iter().filter(|whole| *whole != Whole::Absolute).collect();
    for whole in &wholes {
        columns.extend([(short_name(*whole, ordination.input), right), ("cumulated", right)]);
    }
    if ordination.residuals.is_some() {
        columns.push(("residual", right));
    }
    let mut table = Table::new(&columns);
    let shares: Vec<Vec<_>> = wholes
        .iter()
        .map(|whole| eigenvalue_shares(values, whole.sum(ordination)).collect())
        .collect();
    let percent =
        |share: Option<f64>| share.map_or(String::new(), |x| format!("{:.2} %", 100.0 * x));
    for (axis, &value) in values.iter().enumerate() {
        let mut cells = vec![(axis + 1).to_string(), number(value, 8)];
        for shares in &shares {
            cells.extend([percent(shares[axis].share), percent(shares[axis].cumulated)]);
        }
        cells.extend(ordination.residuals.iter().map(|residuals| number(residuals[axis], 2)));
        table.row(cells);
    }
    console.line(table);
}

/// What eigenvalues are shares of, as the head of a column.
fn short_name(whole: Whole, input: OrdinationInput) -> &'static str {
    match (whole, input) {
        (Whole::Trace, OrdinationInput::Table) => "of inertia",
        (Whole::Trace, _) => "of trace",
        (Whole::Positive, _) => "of positive",
        (Whole::Absolute, _) => "of absolute",
    }
}

/// Shares of the axes, and what eigenvalues are: exact, converged, or estimates.
pub(super) fn axes_json(ordination: &Ordination) -> Vec<(&'static str, Value)> {
    let values = &ordination.eigenvalues;
    let shares = |whole: Whole| {
        let shares: Option<Vec<f64>> =
            eigenvalue_shares(values, whole.sum(ordination)).map(|one| one.share).collect();
        json!(shares)
    };
    let are = match ordination.accuracy {
        Accuracy::Exact => "exact",
        Accuracy::Converged => "converged",
        Accuracy::Estimated => "estimates",
    };
    let mut keys = vec![("eigenvalues_are", are.into())];
    if ordination.input == OrdinationInput::Distances {
        let is_exact = ordination.accuracy == Accuracy::Exact;
        let are = if is_exact { "exact" } else { "estimates" };
        keys.extend([
            ("negative_eigenvalues_are", are.into()),
            ("shares_of_trace", shares(Whole::Trace)),
            ("shares_of_positive", shares(Whole::Positive)),
            ("positive_eigenvalues_sum", json!(ordination.sum_positive())),
        ]);
    } else {
        keys.push(("shares_of_inertia", shares(Whole::Trace)));
    }
    keys
}

/// A parser of tolerances of residuals.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| *value > 0.0 && *value < 1.0)
        .ok_or_else(|| format!("'{text}' is no tolerance: a number between 0 and 1, as 1e-6"))
}
