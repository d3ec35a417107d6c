//! What people read of a fit.

use serde_json::{Value, json};
use tegula_exageostat::coefficients::Coefficients;
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::design::Aliased;
use tegula_exageostat::fit::{
    self as library, BoundHit, FitOptions, NuggetChoice, ProfileInterval, StartEnd,
};
use tegula_exageostat::likelihood::Criterion;
use tegula_exageostat::model::Model;
use tegula_exageostat::transform::Transform;
use tegula_exageostat::tukey::Estimates;
use tegula_runtime::trace::Trace;

use super::data::Data;
use super::fit::Profile;
use super::parameters_json;
use super::transform::Choice;
use crate::checkpoint::Found;
use crate::cluster::{Nodes, TwoMaps};
use crate::output::{Account, Align, Console, Table, count, number, seconds};

/// A fit with its time and its tasks.
pub(super) struct Done {
    /// The fit.
    pub(super) fit: library::Fit,
    /// Its time.
    pub(super) seconds: f64,
    /// The trace, if one was recorded.
    pub(super) trace: Trace,
    /// What its tasks came to.
    pub(super) account: Account,
    /// How the values are distributed, if that was estimated: Tukey's function.
    pub(super) tukey: Option<Estimates>,
    /// The fits with other values of a parameter, if there are some.
    pub(super) profile: Option<Profile>,
    /// How many of the ranks factorised, if that was chosen.
    pub(super) nodes: Option<Nodes<TwoMaps>>,
}

/// Prints the estimates, and what the user should know of them.
pub(super) fn describe(
    console: &Console,
    (data, choice): (&Data, Choice),
    options: &FitOptions,
    done: &Done,
) {
    let fit = &done.fit;
    let errors = fit.uncertainty.information.name();
    console.line("");
    let mut table = estimates(options, fit);
    done.tukey.iter().for_each(|tukey| add_tukey(&mut table, tukey));
    if let (Choice::BoxCox, Transform::BoxCox(lambda)) = (choice, data.transform) {
        let meaning = "exponent of the transformation".to_owned();
        let lambda = number(lambda, 6);
        table.row(vec!["lambda".to_owned(), lambda, String::new(), String::new(), meaning]);
    }
    console.line(table);
    let coefficients = coefficients(data, fit);
    if !coefficients.each.is_empty() {
        console.line("");
        console.line(mean_table(&coefficients, &data.aliased));
        let df = coefficients.degrees_of_freedom;
        console
            .line(format_args!("  t and p: Student's distribution with {df} degrees of freedom"));
    }
    console.line("");
    let name = match options.criterion {
        Criterion::Full => "log-likelihood",
        Criterion::Restricted => "restricted log-likelihood",
    };
    console.line(format_args!("  {name}  {}", number(fit.loglik + data.log_jacobian(), 10)));
    console.line("");
    if options.profile_intervals {
        console.line(profile(fit));
        console.line("");
    }
    if let Some(profile) = &done.profile {
        console.line(profile.table(data.log_jacobian()));
        console.line("");
    }
    console.line(message(done));
    if fit.uncertainty.std_errors.iter().any(Option::is_some) {
        console.line(format_args!("standard errors are by the {} information", errors));
    }
    if options.starts > 1 {
        let (agreeing, starts) = (fit.agreeing_starts(), count(options.starts, "start"));
        console.line(format_args!("{agreeing} of {starts} ended at the best maximum"));
    }
    done.account.describe(console);
    fit.bounds_hit.iter().for_each(|hit| console.warn(bound(hit, fit.model.covariance)));
    fit.remarks.iter().for_each(|remark| console.note(remark));
    let remark = done.profile.as_ref().and_then(Profile::remark);
    remark.into_iter().for_each(|remark| console.warn(remark));
    if !fit.converged {
        console.warn(format_args!(
            "the search has not converged: these are the best of {}; more are allowed with \
             --max-evaluations, or a larger --tolerance",
            count(fit.evaluations, "evaluation")
        ));
    }
}

/// Intervals by the profile likelihood as a table.
fn profile(fit: &library::Fit) -> Table {
    let mut table = Table::new(&[
        ("parameter", Align::Left),
        ("95 % interval by profile likelihood", Align::Left),
        ("", Align::Left),
    ]);
    let names = fit.model.covariance.parameters.iter().map(|parameter| parameter.name);
    for (name, interval) in names.chain(["nugget"]).zip(&fit.profile_intervals) {
        let Some(interval) = interval else { continue };
        let ends = format!("{} to {}", number(interval.low, 4), number(interval.high, 4));
        let remark = beyond(interval.low_is_bound, interval.high_is_bound).unwrap_or_default();
        table.row(vec![name.to_owned(), ends, remark.to_owned()]);
    }
    table
}

/// What an interval whose ends are bounds of the search may be beyond them, in words.
pub(super) fn beyond(low_is_bound: bool, high_is_bound: bool) -> Option<&'static str> {
    match (low_is_bound, high_is_bound) {
        (false, false) => None,
        (true, false) => Some("begins where the search does: it may reach lower"),
        (false, true) => Some("ends where the search does: it may reach higher"),
        (true, true) => Some("all that was searched: it may reach farther"),
    }
}

/// What the user should know of the estimates, in words.
pub(super) fn fit_remarks(fit: &library::Fit) -> Vec<String> {
    let covariance = fit.model.covariance;
    let bounds = fit.bounds_hit.iter().map(|hit| bound(hit, covariance));
    bounds.chain(fit.remarks.iter().cloned()).collect()
}

/// What the user should know of an estimate at its bound.
fn bound(hit: &BoundHit, covariance: &Covariance) -> String {
    if hit.parameter == "nugget" && hit.bound == 0.0 {
        return format!("{hit}: the model without it is as likely as any with one");
    }
    if (hit.parameter, hit.bound) == ("ratio", 1.0) {
        return format!("{hit}: no direction has a longer range than another");
    }
    let parameter = covariance.parameters.iter().find(|one| one.name == hit.parameter);
    if parameter.is_some_and(|one| one.most == hit.bound || one.may_be_zero() && hit.bound == 0.0) {
        return format!("{hit}: that is the end of what it can be");
    }
    format!("{hit}: the maximum may lie beyond; --bounds moves it")
}

/// The estimates as a table.
fn estimates(options: &FitOptions, fit: &library::Fit) -> Table {
    let mut table = Table::new(&[
        ("parameter", Align::Left),
        ("estimate", Align::Right),
        ("std. error", Align::Right),
        ("95 % interval", Align::Left),
        ("", Align::Left),
    ]);
    let errors = &fit.uncertainty;
    let error = |index: usize| {
        let error = errors.std_errors.get(index).copied().flatten();
        let interval = errors.intervals.get(index).copied().flatten();
        let interval =
            interval.map(|(low, high)| format!("{} to {}", number(low, 4), number(high, 4)));
        [error.map_or_else(String::new, |error| number(error, 3)), interval.unwrap_or_default()]
    };
    let covariance = fit.model.covariance;
    for (index, parameter) in covariance.parameters.iter().enumerate() {
        let fixed = if options.fixed[index].is_some() { "(fixed) " } else { "" };
        let value = number(fit.model.values[index], 6);
        let [error, interval] = error(index);
        let meaning = format!("{fixed}{}", parameter.meaning);
        table.row(vec![parameter.name.to_owned(), value, error, interval, meaning]);
    }
    let (value, remark) = match options.nugget {
        NuggetChoice::Fixed(0.0) => ("0".to_owned(), "(fixed) variance of the noise"),
        NuggetChoice::Fixed(value) => (number(value, 6), "(fixed) variance of the noise"),
        NuggetChoice::Estimated { .. } => (number(fit.model.nugget, 6), "variance of the noise"),
    };
    let [error, interval] = error(covariance.parameters.len());
    table.row(vec!["nugget".to_owned(), value, error, interval, remark.to_owned()]);
    table
}

/// An interval by the profile likelihood, if there is one.
pub(super) fn profile_json(interval: &Option<ProfileInterval>) -> Value {
    json!(interval.as_ref().map(|interval| {
        let ProfileInterval { low, high, low_is_bound, high_is_bound, points } = interval;
        json!({
            "low": low, "high": high, "low_is_bound": low_is_bound, "high_is_bound": high_is_bound,
            "points": points,
        })
    }))
}

/// Where the search from a start ended.
pub(super) fn start_json(end: &StartEnd) -> Value {
    let StartEnd { model, loglik, converged } = end;
    let params = parameters_json(model);
    json!({ "params": params, "nugget": model.nugget, "loglik": loglik, "converged": converged })
}

/// Adds `g` and `h` to the table of estimates.
fn add_tukey(table: &mut Table, tukey: &Estimates) {
    let meanings = ["skewness", "heaviness of the tails"];
    let values = [tukey.function.g, tukey.function.h];
    for (k, name) in ["g", "h"].into_iter().enumerate() {
        let error = tukey.std_errors[k].map_or_else(String::new, |error| number(error, 3));
        let interval = tukey.intervals()[k].map_or_else(String::new, |(low, high)| {
            format!("{} to {}", number(low, 4), number(high, 4))
        });
        let meaning = format!("{}{}", if tukey.is_known { "(fixed) " } else { "" }, meanings[k]);
        table.row(vec![name.to_owned(), number(values[k], 6), error, interval, meaning]);
    }
}

/// How the search ended, in a line.
pub(super) fn message(done: &Done) -> String {
    let state = if done.fit.converged { "converged" } else { "stopped" };
    let all = count(done.fit.evaluations, "evaluation");
    let made = done.fit.evaluations - done.fit.taken_over;
    let taken_over = match done.fit.taken_over {
        0 => None,
        some => Some(format!("{some} of them of an earlier run")),
    };
    let other = done.profile.as_ref().map(|profile| {
        (profile.evaluations().saturating_sub(done.fit.evaluations), profile.parameter)
    });
    let made = made + other.map_or(0, |(count, _)| count);
    let other =
        other.map(|(count, parameter)| format!("and {count} with other values of {parameter}"));
    let asides: String =
        [taken_over, other].into_iter().flatten().map(|aside| format!(", {aside}")).collect();
    let comma = if asides.is_empty() { "" } else { "," };
    format!(
        "{state} after {all}{asides}{comma} in {} ({} each)",
        seconds(done.seconds),
        seconds(done.seconds / made.max(1) as f64)
    )
}

/// The coefficients of the mean with their standard errors.
pub(super) fn coefficients(data: &Data, fit: &library::Fit) -> Coefficients {
    data.coefficients(&fit.evaluation)
}

/// The coefficients of the mean as a table; those that the data do not determine are NA, as in R.
fn mean_table(coefficients: &Coefficients, aliased: &[Aliased]) -> Table {
    let mut table = Table::new(&[
        ("mean", Align::Left),
        ("estimate", Align::Right),
        ("std. error", Align::Right),
        ("t", Align::Right),
        ("p", Align::Right),
    ]);
    let row = |name: &str, numbers: [String; 4]| {
        [name.to_owned()].into_iter().chain(numbers).collect::<Vec<String>>()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for one in &coefficients.each {
        let (estimate, error) = (number(one.estimate, 6), number(one.std_error, 3));
        rows.push(row(&one.name, [estimate, error, number(one.t, 4), number(one.p, 3)]));
    }
    for one in aliased {
        rows.insert(one.place, row(&one.name, [const { "NA" }; 4].map(str::to_owned)));
    }
    rows.into_iter().for_each(|row| table.row(row));
    table
}

/// The best that an interrupted fit has found, a log-likelihood and its model, in the words of
/// `--start`.
pub(super) fn best_so_far(options: &FitOptions, loglik: f64, model: &Model) -> Found {
    let values = model.covariance.parameters.iter().zip(&model.values).zip(&options.fixed);
    let free = values.filter(|(_, fixed)| fixed.is_none());
    let free = free.map(|((parameter, value), _)| format!("{}={value:?}", parameter.name));
    let has_nugget = matches!(options.nugget, NuggetChoice::Estimated { .. });
    let nugget = has_nugget.then(|| format!("nugget={:?}", model.nugget));
    let value = free.chain(nugget).collect::<Vec<_>>().join(",");
    let loglik = number(loglik, 10);
    let says = format!("the best so far, of log-likelihood {loglik}: --start {value}");
    Found { says, flags: &["--start", "--resume"], value }
}
