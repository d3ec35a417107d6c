//! `tegula exageostat assess`: scores, criteria, and what is refused.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{assert_close, column, folder, number, root, tegula_in};

/// A folder with `model.json`, fitted to the sample of 140 places, and its JSON.
fn fitted(flags: &str) -> (PathBuf, Value) {
    let (folder, sample) = (folder(), root().join("data/samples/e_sub140.csv"));
    let fit = format!("exageostat fit {} --fix smoothness=0.5 {flags}", sample.display());
    let run = tegula_in(&folder, &format!("{fit} -o model.json --json -")).succeeded();
    let model = run.json();
    (folder, model)
}

fn assess(folder: &Path, more: &str) -> Value {
    let run = tegula_in(folder, &format!("exageostat assess model.json --json - {more}"));
    run.succeeded().json()
}

#[test]
fn scores_are_those_of_the_errors_that_are_written() {
    let (folder, model) = fitted("--estimate-nugget");
    let result = assess(&folder, "-o errors.csv --tile-size 37");
    let of = |name: &str| column(&folder.join("errors.csv"), name);
    let (observed, predicted) = (of("observed"), of("predicted"));
    let (deviations, standardised) = (of("std_error"), of("standardised"));
    assert_eq!((observed.len(), &observed), (140, &of("z")));
    let errors: Vec<f64> = observed.iter().zip(&predicted).map(|(z, p)| z - p).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / 140.0;
    let squares = |all: &[f64]| mean(&all.iter().map(|x| x * x).collect::<Vec<f64>>());
    assert_close(number(&result, "/loo/rmse"), squares(&errors).sqrt(), 1e-9);
    assert_close(number(&result, "/loo/msse"), squares(&standardised), 1e-9);
    for (k, error) in errors.iter().enumerate() {
        assert!((standardised[k] * deviations[k] - error).abs() < 1e-9, "row {k}");
    }
    let inside = standardised.iter().filter(|x| x.abs() <= 1.959_963_984_540_054).count();
    assert_close(number(&result, "/loo/coverage/95"), inside as f64 / 140.0, 1e-12);
    let pit: u64 = (0..10).map(|bin| number(&result, &format!("/loo/pit/{bin}")) as u64).sum();
    assert_eq!((pit, number(&result, "/loo/n")), (140, 140.0));
    // Variance, range, nugget and the constant.
    let loglik = number(&model, "/loglik");
    assert_eq!(model["estimated"], serde_json::json!(["variance", "range", "nugget"]));
    assert_close(number(&result, "/aic"), 8.0 - 2.0 * loglik, 1e-12);
    assert_close(number(&result, "/aicc"), 8.0 - 2.0 * loglik + 40.0 / 135.0, 1e-12);
    assert_close(number(&result, "/bic"), 4.0 * 140f64.ln() - 2.0 * loglik, 1e-12);
}

#[test]
fn restricted_fits_count_neither_coefficients_nor_what_they_explain() {
    let (folder, model) = fitted("--reml");
    let (result, loglik) = (assess(&folder, ""), number(&model, "/loglik"));
    assert_close(number(&result, "/aic"), 4.0 - 2.0 * loglik, 1e-12);
    assert_close(number(&result, "/bic"), 2.0 * 139f64.ln() - 2.0 * loglik, 1e-12);
}

#[test]
fn neighbours_are_refused_and_older_models_have_no_criteria() {
    let (folder, _) = fitted("--method vecchia:20");
    let refused = tegula_in(&folder, "exageostat assess model.json");
    refused.failed(2, &["model.json", "--method vecchia", "exact"]);
    let (folder, mut model) = fitted("");
    model.as_object_mut().expect("an object").remove("estimated");
    std::fs::write(folder.join("model.json"), model.to_string()).expect("written");
    let result = assess(&folder, "");
    assert!(result["aic"].is_null() && number(&result, "/loo/rmse") > 0.0);
}
