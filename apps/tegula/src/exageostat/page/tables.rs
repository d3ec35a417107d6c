//! Tables of a fit: parameters, coefficients of the mean, the fit as a whole.

use serde_json::Value;
use tegula_exageostat::assess::Criteria;
use tegula_figures::html::section;

use super::super::assess::criteria;
use super::super::data::Data;
use super::super::method::error_words;
use super::super::model_file::ModelFile;
use super::super::transform;
use crate::output::{number, seconds};

/// A number of JSON, or nothing.
fn shown(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(String::new, |x| number(x, digits))
}

/// `a to b`, or nothing.
fn interval(low: &Value, high: &Value) -> String {
    match (low.as_f64(), high.as_f64()) {
        (Some(low), Some(high)) => format!("{} to {}", number(low, 4), number(high, 4)),
        _ => String::new(),
    }
}

fn texts(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

/// The parameters with their errors and intervals.
pub(super) fn estimates(file: &ModelFile, data: &Data) -> String {
    let value = &file.value;
    let profiles = &value["profile_intervals"];
    let has_profiles =
        profiles.as_object().is_some_and(|all| all.values().any(|one| !one.is_null()));
    let mut head = texts(&["parameter", "estimate", "std. error", "95 % interval"]);
    head.extend(has_profiles.then(|| "by profile likelihood".to_owned()));
    let estimated: Option<Vec<&str>> =
        value["estimated"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect());
    let model = &file.model;
    let names = model.covariance.parameters.iter().map(|parameter| parameter.name);
    let values = model.values.iter().copied().chain([model.nugget]);
    let mut rows = vec![head];
    for (name, estimate) in names.chain(["nugget"]).zip(values) {
        let is_fixed = estimated.as_ref().is_some_and(|names| !names.contains(&name));
        let error =
            if is_fixed { "fixed".to_owned() } else { shown(&value["std_errors"][name], 3) };
        let ends = &value["intervals"][name];
        let mut row =
            vec![name.to_owned(), number(estimate, 6), error, interval(&ends[0], &ends[1])];
        let ends = &profiles[name];
        row.extend(has_profiles.then(|| interval(&ends["low"], &ends["high"])));
        rows.push(row);
    }
    rows.extend(skewness(value, rows[0].len()));
    if data.transform != tegula_exageostat::transform::Transform::None {
        let mut row = texts(&["transformation", &transform::describe(data.transform)]);
        row.resize(rows[0].len(), String::new());
        rows.push(row);
    }
    section("Parameters", 1, &rows)
}

/// `g` and `h` of Tukey's function in rows of so many cells; none of another transformation.
fn skewness(value: &Value, cells: usize) -> Vec<Vec<String>> {
    let transform = &value["transform"];
    let is_fixed = transform["estimated"] != Value::Bool(true);
    let row = |name: &&str| {
        let estimate = transform[*name].as_f64()?;
        let error = &transform["std_errors"][*name];
        let error = if is_fixed { "fixed".to_owned() } else { shown(error, 3) };
        let ends = &transform["intervals"][*name];
        let mut row =
            vec![(*name).to_owned(), number(estimate, 6), error, interval(&ends[0], &ends[1])];
        row.resize(cells, String::new());
        Some(row)
    };
    ["g", "h"].iter().filter_map(row).collect()
}

/// The coefficients of the mean; nothing of a mean of zero.
pub(super) fn mean(file: &ModelFile) -> String {
    let mut rows = vec![texts(&["mean", "estimate", "std. error", "t", "p"])];
    for one in file.value["coefficients"].as_array().into_iter().flatten() {
        let number = |key: &str, digits: usize| match &one[key] {
            Value::Null => "NA".to_owned(),
            value => shown(value, digits),
        };
        rows.push(vec![
            one["name"].as_str().unwrap_or_default().to_owned(),
            number("estimate", 6),
            number("std_error", 3),
            number("t", 4),
            number("p", 3),
        ]);
    }
    section("Mean", 1, &rows)
}

/// Digits of `x` that mean something where it is known to `error`, and one more; at most `exact`.
fn known(x: f64, error: f64, exact: usize) -> usize {
    let places = (x / error).abs().log10();
    if places.is_finite() { (places.ceil().max(0.0) as usize + 2).min(exact) } else { exact }
}

/// The fit as a whole.
pub(super) fn summary(file: &ModelFile, data: &Data) -> String {
    let value = &file.value;
    let is_restricted = file.fitted.as_ref().is_some_and(|fitted| fitted.is_restricted);
    let name = if is_restricted { "restricted log-likelihood" } else { "log-likelihood" };
    let error = value["method"]["error_estimate"].as_f64();
    let digits = |x: f64, exact: usize| number(x, error.map_or(exact, |e| known(x, e, exact)));
    let loglik = value["loglik"].as_f64().map_or_else(String::new, |x| digits(x, 9));
    let mut rows = vec![Vec::new(), texts(&[name, &loglik])];
    if let Some(Criteria { aic, bic, .. }) = criteria(file, data) {
        rows.push(texts(&["AIC", &digits(aic, 8)]));
        rows.push(texts(&["BIC", &digits(bic, 8)]));
    }
    let method = file.method.settle(&data.observations.points);
    if let Some(words) = error.and_then(|error| error_words(method, error)) {
        rows.push(texts(&["error of the approximation", &words]));
    }
    let method = match file.method {
        super::super::method::Method::Exact => "exact".to_owned(),
        super::super::method::Method::Vecchia(neighbours, ..) => {
            format!("Vecchia, {neighbours} neighbours")
        }
        super::super::method::Method::Tlr(accuracy) => {
            format!("tiles of low rank, to {accuracy:e}")
        }
        super::super::method::Method::Mixed(accuracy) => {
            format!("tiles in 64 and 32 bits, to {accuracy:e}")
        }
        super::super::method::Method::Dst(range) => {
            format!("with a taper of range {range}")
        }
    };
    rows.push(texts(&["method", &method]));
    rows.push(texts(&["observations", &data.observations.len().to_string()]));
    rows.push(texts(&["evaluations", &value["evaluations"].to_string()]));
    if let Some(time) = value["seconds"].as_f64() {
        rows.push(texts(&["time of the fit", &seconds(time)]));
    }
    if value["converged"] == Value::Bool(false) {
        rows.push(texts(&["converged", "no"]));
    }
    for remark in value["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        rows.push(texts(&["remark", remark]));
    }
    section("Fit", 2, &rows)
}
