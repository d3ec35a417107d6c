//! Searches with many parameters: they end no lower than those of simpler covariances, and say what
//! the data do not tell.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{folder, folder_with, number, root, tegula_in};

fn fit(folder: &Path, arguments: &str) -> Value {
    let command = format!("exageostat fit {arguments} --json - -q");
    tegula_in(folder, &command).succeeded().json()
}

fn sample(folder: &Path, arguments: &str, output: &str) {
    let command = format!("exageostat sample --seed 2 {arguments} -o {output} -q");
    tegula_in(folder, &command).succeeded();
}

/// Correlations of three variables that do not go together turn a step back.
#[test]
fn three_variables_are_fitted_through_correlations_that_do_not_go_together() {
    let folder = folder();
    let three = "--covariance trivariate-matern-parsimonious";
    sample(
        &folder,
        &format!("--n 150 {three} --params 1,2,1.5,.1,.5,1,.8,.6,-.5,-.6"),
        "three.csv",
    );
    let found =
        fit(&folder, &format!("three.csv --values value1,value2,value3 {three} --mean zero"));
    assert!(found["converged"] == true && number(&found, "/failed_evaluations") > 0.0, "{found}");
    let b = |name: &str| number(&found, &format!("/params/correlation{name}"));
    let [b12, b13, b23] = ["12", "13", "23"].map(b);
    assert!(1.0 + 2.0 * b12 * b13 * b23 - b12 * b12 - b13 * b13 - b23 * b23 > 0.0, "{found}");
    let errors = found["std_errors"].as_object().expect("errors");
    assert!(errors.iter().all(|(name, error)| name == "nugget" || error.is_number()), "{found}");
}

/// Of data drawn by it, in other units than those of a unit square.
#[test]
fn a_field_that_is_not_stationary_is_fitted_no_worse_than_a_stationary_one() {
    let folder = folder();
    let truth = "0.02,2,1.5,-0.8,0.3,0.6,0.3,0.1";
    let covariance = "--covariance nonstationary-matern";
    sample(&folder, &format!("--n 80 {covariance} --params {truth}"), "field.csv");
    let text = fs::read_to_string(folder.join("field.csv")).expect("a table");
    let metres = |line: &str| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        format!("{},{},{}\n", 1e5 + 1e3 * cells[0], 3e5 + 1e3 * cells[1], 40.0 * cells[2])
    };
    let table: String = text.lines().skip(1).map(metres).collect();
    fs::write(folder.join("metres.csv"), format!("x,y,value\n{table}")).expect("a table");
    for data in ["field.csv", "metres.csv"] {
        let stationary = fit(&folder, &format!("{data} --mean zero --covariance matern"));
        let found = fit(&folder, &format!("{data} --mean zero {covariance}"));
        let [least, most] = [&stationary, &found].map(|one| number(one, "/loglik"));
        assert!(most > least - 1e-6, "{data}: {most}, {least}");
    }
    let found = fit(&folder, &format!("field.csv --mean zero {covariance}"));
    let known = format!("exageostat loglik field.csv --mean zero {covariance} --params {truth}");
    let known = tegula_in(&folder, &format!("{known} --json - -q")).succeeded().json();
    assert!(number(&found, "/loglik") > number(&known, "/loglik") - 0.1, "{found}");
}

/// The flexible model of two variables has the parsimonious one in it; where it comes to that, the
/// data say nothing of its shares.
#[test]
fn a_flexible_model_is_fitted_no_worse_than_one_within_it() {
    let folder = folder();
    let two = "bivariate-matern-parsimonious";
    sample(&folder, &format!("--n 120 --covariance {two} --params 1,4,0.2,0.5,0.8,0.7"), "two.csv");
    let of = |name: &str| {
        fit(&folder, &format!("two.csv --values value1,value2 --mean zero --covariance {name}"))
    };
    let (parsimonious, flexible) = (of(two), of("bivariate-matern-flexible"));
    assert!(number(&flexible, "/loglik") > number(&parsimonious, "/loglik") - 1e-6, "{flexible}");
    let remarks = flexible["remarks"].to_string();
    assert!(remarks.contains("say nothing of") && remarks.contains("_share="), "{remarks}");
    let errors = flexible["std_errors"].as_object().expect("errors");
    assert!(errors["smoothness_share"].is_null() && errors["range1"].is_number(), "{flexible}");
}

/// A short term stands for a nugget, whichever it is; none of the ends is outside what a parameter
/// can be.
#[test]
fn a_sum_is_fitted_no_worse_than_a_term_with_a_nugget() {
    let data = root().join("data/samples/texas-wind.csv");
    let of = |what: &str| {
        let data = data.display();
        let flags = "--values air_temperature_c --distance euclidean";
        fit(&folder(), &format!("{data} {flags} {what}"))
    };
    let nugget = number(&of("--covariance matern --estimate-nugget"), "/loglik");
    for name in ["matern+exponential", "exponential+matern"] {
        let found = of(&format!("--covariance {name}"));
        assert!(number(&found, "/loglik") > nugget - 1e-3, "{name}: {found}");
        let intervals = found["intervals"].as_object().expect("intervals");
        for (parameter, interval) in intervals {
            let Some([low, high]) = interval.as_array().map(Vec::as_slice) else { continue };
            let (low, high) = (low.as_f64().expect("a number"), high.as_f64().expect("a number"));
            let most = if parameter.starts_with("smoothness") { 12.0 } else { f64::MAX };
            assert!(low >= 0.0 && high <= most, "{name}, {parameter}: {low} to {high}");
        }
    }
}

#[test]
fn what_an_approximation_costs_is_warned_of() {
    let data = root().join("data/samples/a_synth1600.csv");
    let remarks = |method: &str| {
        let known = "--covariance matern --params 1,0.1,1.27 --nugget 0.01 --mean zero --json - -q";
        let command = format!("exageostat loglik {} {known} --method {method}", data.display());
        tegula_in(&folder(), &command).succeeded().json()["remarks"].to_string()
    };
    assert!(remarks("vecchia:2").contains("2 neighbours are few"));
    assert!(remarks("tlr:1e-2").contains("give --method tlr:1e-4"));
    // Shorter than any distance.
    assert!(remarks("dst:1e-6").contains("is biased"));
    for fine in ["vecchia:60", "tlr:1e-10", "mixed:1e-6"] {
        let remarks = remarks(fine);
        assert!(!remarks.contains("give"), "{fine}: {remarks}");
    }
}

#[test]
fn values_in_a_unit_that_numbers_do_not_hold_are_refused() {
    let text = fs::read_to_string(root().join("data/samples/e_sub140.csv")).expect("a table");
    let huge = |line: &str| format!("{line}e200\n");
    let (header, rest) = text.split_once('\n').expect("a header");
    let table: String = rest.lines().map(huge).collect();
    let folder = folder_with("huge.csv", &format!("{header}\n{table}"));
    for more in ["", "--estimate-nugget"] {
        let command = format!("exageostat fit huge.csv --covariance exponential {more}");
        tegula_in(&folder, &command).failed(2, &["too large or too small", "change their unit"]);
    }
}

#[test]
fn names_of_other_programs_and_what_cannot_be_searched_are_explained() {
    let data = root().join("data/samples/e_sub140.csv");
    let refused = |arguments: &str, words: &[&str]| {
        let command = format!("exageostat fit {} {arguments}", data.display());
        tegula_in(&folder(), &command).failed(2, words);
    };
    refused("--covariance tukey-gh-matern", &["--covariance matern-scaled --transform tukey-gh"]);
    refused("--covariance matern-aniso", &["matern:anisotropic"]);
    let bounds = "--covariance matern --bounds smoothness=0.1:60";
    refused(bounds, &["must be above 0 and at most 12"]);
    let bounds = "--covariance nonstationary-matern --bounds deviation_base=-1:2";
    refused(bounds, &["must be 0 or more, and in order"]);
    refused("--covariance matern --starts 1001", &["1001 is not in 1..=1000"]);
    let estimated = "--covariance exponential --transform box-cox --mean zero";
    let command = format!("exageostat fit positive.csv {estimated}");
    let rows: Vec<String> =
        (1..40).map(|i| format!("{},{},{}", i % 7, i / 7, 1 + i * i % 11)).collect();
    let folder = folder_with("positive.csv", &format!("x,y,z\n{}\n", rows.join("\n")));
    let run = tegula_in(&folder, &command).succeeded();
    assert!(run.stdout.contains("lambda estimated"), "{}", run.stdout);
    assert!(run.stdout.contains("exponent of the transformation"), "{}", run.stdout);
}
