//! Scores as people and programs read them.

use serde_json::{Map, Value, json};
use tegula_exageostat::assess::{LEVELS, LeftOut, Scores};

use crate::exageostat::data::Data;
use crate::output::{Align, Table, count, number};

/// The scores of what was left out in the way that `title` says.
fn table(title: &str, scores: &Scores) -> Table {
    let mut table = Table::new(&[
        (title, Align::Left),
        (&count(scores.n, "observation"), Align::Right),
        ("", Align::Left),
    ]);
    let coverage = scores.coverage.map(|share| number(100.0 * share, 3)).join(", ");
    let levels = LEVELS.map(|(percent, _)| percent.to_string()).join(", ");
    for (name, value, meaning) in [
        ("rmse", number(scores.rmse, 6), "root of the mean squared error"),
        ("mae", number(scores.mae, 6), "mean absolute error"),
        ("mean error", number(scores.mean_error, 6), "observed less predicted"),
        (
            "msse",
            number(scores.msse, 6),
            "mean squared standardised error: 1 if variances are right",
        ),
        ("crps", number(scores.crps, 6), "ranked probability score: less is better"),
        ("log score", number(scores.log_score, 6), "minus the log-density: less is better"),
        ("coverage", coverage, &format!("percent within the intervals of {levels} %")),
        ("pit", scores.pit.map(|count| count.to_string()).join(" "), "10 bins, even if calibrated"),
    ] {
        table.row([name, &value, meaning].map(str::to_owned).to_vec());
    }
    table
}

/// What was left out of each of several variables, with its name; none of one alone.
pub(super) fn by_variable(data: &Data, left_out: &[LeftOut]) -> Vec<(String, Scores)> {
    let (of, names) = (data.variable_of(), data.values.names());
    let all = (0..data.variables()).filter(|_| data.variables() > 1);
    all.map(|variable| {
        let own = of.iter().zip(left_out).filter(|(of, _)| **of == variable);
        let own: Vec<LeftOut> = own.map(|(_, one)| *one).collect();
        (names[variable].clone(), Scores::new(&own))
    })
    .collect()
}

/// The tables of what was left out in the way that `title` says: of all, or of each variable, since
/// scores of several are in different units.
pub(super) fn tables(title: &str, data: &Data, left_out: &[LeftOut]) -> Vec<Table> {
    let each = by_variable(data, left_out);
    if each.is_empty() {
        return vec![table(title, &Scores::new(left_out))];
    }
    each.iter().map(|(name, scores)| table(&format!("{title}, {name}"), scores)).collect()
}

/// The scores of what was left out as JSON: of all together, and of each of several variables.
pub(super) fn left_out_json(data: &Data, left_out: &[LeftOut], is_transformed: bool) -> Value {
    let mut value = to_json(&Scores::new(left_out), is_transformed);
    let each = by_variable(data, left_out);
    if !each.is_empty() {
        let each = each.iter().map(|(name, scores)| {
            let mut one = to_json(scores, is_transformed);
            one["name"] = name.as_str().into();
            one
        });
        value["variables"] = each.collect();
    }
    value
}

/// The scores as JSON.
fn to_json(scores: &Scores, is_transformed: bool) -> Value {
    let levels = LEVELS.iter().zip(scores.coverage);
    let coverage: Map<String, Value> =
        levels.map(|((percent, _), share)| (percent.to_string(), share.into())).collect();
    json!({
        "n": scores.n,
        "rmse": scores.rmse,
        "mae": scores.mae,
        "mean_error": scores.mean_error,
        "msse": scores.msse,
        "crps": scores.crps,
        "log_score": scores.log_score,
        "coverage": coverage,
        "pit": scores.pit,
        "is_transformed": is_transformed,
    })
}

/// How many of these got no prediction.
pub(super) fn unknown(left_out: &[LeftOut]) -> usize {
    left_out.iter().filter(|one| !one.is_known()).count()
}
