//! The parts of the page that are text: what it is about, tables of axes, remarks, the facts of the
//! run.

use std::fmt::Write;

use serde_json::Value;

use super::data::shown_axes;
use super::escape::escaped;
use crate::output::labels::LabelsOfItems;
use crate::output::shares::{Whole, eigenvalue_shares};
use crate::{Accuracy, Ordination, OrdinationInput};

/// Entries of a list of the summary that are shown.
const MOST_ENTRIES: usize = 8;
const UNKNOWN: &str = "not available: needs the whole spectrum";
const NOT_POSITIVE: &str = "not available: the sum is not positive";

/// One line on what was computed.
pub(super) fn lead(ordination: &Ordination) -> String {
    let (items, axes) = (ordination.items(), ordination.axes());
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let counted =
        |count: usize, what: &str| format!("{} {what}{}", thousands(count), plural(count));
    let variables = ordination.variables.as_ref();
    let is_count = variables.is_some_and(|variables| variables.are_points);
    let [row, column] = if is_count { ["row", "column"] } else { ["item", "variable"] };
    let also = variables.map_or_else(String::new, |variables| {
        format!(" and {}", counted(variables.ids.len(), column))
    });
    let mut text = format!(
        "{} &middot; {}{also} on {axes} ax{}",
        escaped(&capitalised(&ordination.method)),
        counted(items, row),
        if axes == 1 { "is" } else { "es" },
    );
    let shown = shown_axes(ordination);
    if shown < axes {
        let _ = write!(text, ", of which this page holds {shown}: all are in coordinates.csv");
    }
    text
}

/// The table of axes: eigenvalues, shares of each sum, residuals.
pub(super) fn axes(ordination: &Ordination) -> String {
    let mut html = String::from(
        "<table>\n<thead><tr><th scope=\"col\">axis</th><th scope=\"col\">eigenvalue</th>",
    );
    let known = Whole::known(ordination);
    for whole in &known {
        let _ = write!(
            html,
            "<th scope=\"col\">share of {0}</th><th scope=\"col\">cumulated</th>",
            whole.name(ordination)
        );
    }
    if ordination.residuals.is_some() {
        html += "<th scope=\"col\">residual</th><th scope=\"col\">residual / eigenvalue</th>";
    }
    html += "</tr></thead>\n<tbody>\n";
    let values = &ordination.eigenvalues;
    let of = |whole: &Whole| eigenvalue_shares(values, whole.sum(ordination)).collect::<Vec<_>>();
    let shares: Vec<Vec<_>> = known.iter().map(of).collect();
    for (index, &value) in values.iter().enumerate() {
        let number = index + 1;
        let _ = write!(html, "<tr><th scope=\"row\">{number}</th><td>{}</td>", short(value));
        for rows in &shares {
            let percent = |share: Option<f64>| share.map_or(String::new(), percent);
            let row = rows[index];
            let _ =
                write!(html, "<td>{}</td><td>{}</td>", percent(row.share), percent(row.cumulated));
        }
        if let Some(residuals) = &ordination.residuals {
            let residual = residuals[index];
            let relative = short(residual / value.abs());
            let _ = write!(html, "<td>{}</td><td>{relative}</td>", short(residual));
        }
        html += "</tr>\n";
    }
    html += "</tbody>\n</table>\n";
    let missing = Whole::all(ordination).iter().filter(|whole| whole.sum(ordination).is_none());
    for &whole in missing {
        let name = whole.name(ordination);
        let _ =
            writeln!(html, "<p class=\"quiet\">Share of {name}: {}.</p>", why(ordination, whole));
    }
    html + &estimates(ordination) + &residuals(ordination)
}

/// Why there is no share of `whole`.
fn why(ordination: &Ordination, whole: Whole) -> &'static str {
    let is_known = whole == Whole::Trace || ordination.spectrum.is_some();
    if is_known { NOT_POSITIVE } else { UNKNOWN }
}

/// That eigenvalues are estimates, if they are.
fn estimates(ordination: &Ordination) -> String {
    if ordination.accuracy != Accuracy::Estimated {
        return String::new();
    }
    "<p class=\"quiet\">Eigenvalues are estimates: the method did not wait until they were found.</p>\n".to_owned()
}

/// What residuals mean, or that there are none.
fn residuals(ordination: &Ordination) -> String {
    let text = match ordination.residuals {
        None if ordination.accuracy == Accuracy::Exact => return String::new(),
        None => "This method yields no residuals.",
        Some(_) => {
            "A residual is the length of <i>Gv</i> &minus; <i>&lambda;v</i>: some eigenvalue lies within it of \
             <i>&lambda;</i>. It is not the error of that axis where the next eigenvalue is as close as that."
        }
    };
    format!("<p class=\"quiet\">{text}</p>\n")
}

/// What is known of negative eigenvalues, where there may be some.
pub(super) fn negative(ordination: &Ordination) -> String {
    if ordination.input != OrdinationInput::Distances {
        return String::new();
    }
    let count = ordination.negative.len();
    let text = match (count, ordination.spectrum.is_some()) {
        (0, true) => "No eigenvalue is negative: the distances are Euclidean.".to_owned(),
        (0, false) => {
            "No negative eigenvalue was met; the whole spectrum was not computed.".to_owned()
        }
        (count, is_complete) => {
            let lowest = short(ordination.negative[0]);
            let size: f64 = ordination.negative.iter().map(|value| value.abs()).sum();
            let share =
                ordination.sum_absolute().filter(|&sum| sum > 0.0).map_or(String::new(), |sum| {
                    format!(
                        " Together they are {} of the sum of absolute values.",
                        percent(size / sum)
                    )
                });
            let what = match (is_complete, count) {
                (true, 1) => "eigenvalue is negative",
                (true, _) => "eigenvalues are negative",
                (false, 1) => "negative eigenvalue was met, and there may be more",
                (false, _) => "negative eigenvalues were met, and there may be more",
            };
            let is = if is_complete { "is" } else { "is about" };
            let rest = if is_complete { "" } else { " (an estimate)" };
            format!(
                "{} {what}: the distances are not Euclidean. The lowest {is} {lowest}{rest}.{share}",
                thousands(count)
            )
        }
    };
    format!("<p>{text}</p>\n")
}

/// What does not match between labels and items.
pub(super) fn labels(labels: Option<&LabelsOfItems>) -> String {
    let Some(labels) = labels else { return String::new() };
    labels.message().map_or(String::new(), |message| {
        format!("<p class=\"quiet\">Labels: {}.</p>\n", escaped(&message))
    })
}

/// The facts of the run as a table: objects within objects with their names joined.
pub(super) fn facts(summary: &Value) -> String {
    let mut rows = Vec::new();
    flatten("", summary, &mut rows);
    let rows: String = rows
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                escaped(name),
                escaped(value)
            )
        })
        .collect();
    if rows.is_empty() {
        return "<p class=\"quiet\">None were given.</p>\n".to_owned();
    }
    format!("<table class=\"facts\">\n<tbody>\n{rows}</tbody>\n</table>\n")
}

fn flatten(name: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let key = key.replace('_', " ");
                flatten(&if name.is_empty() { key } else { format!("{name}: {key}") }, value, rows);
            }
        }
        Value::Array(entries) => {
            let mut texts: Vec<String> = entries.iter().take(MOST_ENTRIES).map(plain).collect();
            if entries.len() > MOST_ENTRIES {
                texts.push(format!("... ({} in all)", entries.len()));
            }
            rows.push((name.to_owned(), texts.join(", ")));
        }
        Value::Null if name.is_empty() => {}
        other => rows.push((name.to_owned(), plain(other))),
    }
}

/// A value of JSON as people write it.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "not available".to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(String::new(), brief),
        Value::Number(number) => {
            number.as_u64().map_or(number.to_string(), |number| thousands(number as usize))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number with five significant digits.
fn short(value: f64) -> String {
    rounded(value, 5)
}

/// A number with so many significant digits.
pub(super) fn rounded(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = value.abs().log10().floor() as i32;
    let text = if (-4..6).contains(&power) {
        format!("{value:.*}", (digits - 1 - power).max(0) as usize)
    } else {
        format!("{value:.3e}")
    };
    text.replace('-', "\u{2212}")
}

/// The same without zeros at the end of a fraction.
fn brief(value: f64) -> String {
    let text = short(value);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share).replace('-', "\u{2212}")
}

/// `count` with thin spaces between thousands.
pub(super) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 1.0, 1234.567, -0.012345678, 1e-9, 123456.7, 1e7].map(short);
        let expected =
            ["0", "1.0000", "1234.6", "\u{2212}0.012346", "1.000e\u{2212}9", "123457", "1.000e7"];
        assert_eq!(texts, expected);
        assert_eq!([0.25, 100.0, 1e-9, 0.0].map(brief), ["0.25", "100", "1.000e\u{2212}9", "0"]);
        assert_eq!(thousands(1_234_567), "1\u{2009}234\u{2009}567");
    }

    #[test]
    fn facts_are_rows() {
        let html = facts(&json!({
            "seed": 1097, "phases": {"read<s": 0.5}, "gof": null, "many": [1, 2, 3, 4, 5, 6, 7, 8, 9]
        }));
        for row in [
            "<th scope=\"row\">seed</th><td>1\u{2009}097</td>",
            "<th scope=\"row\">phases: read&lt;s</th><td>0.5</td>",
            "<th scope=\"row\">gof</th><td>not available</td>",
            "7, 8, ... (9 in all)</td>",
        ] {
            assert!(html.contains(row), "{row} in {html}");
        }
        assert!(facts(&Value::Null).contains("None"));
    }
}
