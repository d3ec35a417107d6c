//! `tegula exageostat fit` against the maxima of independent tools.

use std::fs;

use serde_json::Value;

use crate::support::{answers, assert_close, folder, number, root, tegula, tegula_in, tegula_with};

const SYNTHETIC: &str = "exageostat fit data/samples/a_synth1600.csv --mean zero --quiet --json -";
const TEXAS: &str = "exageostat fit data/samples/texas-wind.csv --values air_temperature_c \
                     --covariance exponential --estimate-nugget";

#[test]
fn the_synthetic_set_has_the_maximum_of_other_tools() {
    let answers = answers("a_synth1600.json");
    let best = number(&answers, "/mle/loglik");
    assert!((best - -1138.218668779).abs() < 1e-8, "{best}");
    let result = tegula(SYNTHETIC).succeeded().json();
    assert!((number(&result, "/loglik") - best).abs() < 1e-6, "{result:#}");
    assert_eq!(result["converged"], true);
    for (index, name) in ["variance", "range", "smoothness"].into_iter().enumerate() {
        let expected = number(&answers, &format!("/mle/theta/{index}"));
        assert_close(number(&result, &format!("/params/{name}")), expected, 1e-3);
    }
    let half = tegula(&format!("{SYNTHETIC} --fix smoothness=0.5")).succeeded().json();
    let best = number(&answers, "/mle_nu_half/loglik");
    assert!((number(&half, "/loglik") - best).abs() < 1e-6, "{half:#}");
}

#[test]
fn texas_has_the_maxima_of_other_tools() {
    let answers = answers("texas_wind.json");
    for (mean, key) in
        [("constant", "constant"), ("latitude", "latitude"), ("1 + latitude", "latitude")]
    {
        let run = tegula_with(TEXAS, &["--json", "-", "--mean", mean]).succeeded();
        let (result, answer) = (run.json(), &answers[format!("ml_exponential_nugget_{key}")]);
        let (loglik, best) = (number(&result, "/loglik"), number(answer, "/loglik_ML"));
        assert!((loglik - best).abs() < 1e-6, "{mean}: {loglik} against {best}");
        // At a flat maximum the estimates are less certain than its height.
        let coefficients = answer["beta"].as_array().expect("a list");
        for index in 0..coefficients.len() {
            let found = number(&result, &format!("/mean/coefficients/{index}"));
            assert_close(found, number(answer, &format!("/beta/{index}")), 1e-3);
            let error = number(&result, &format!("/mean/standard_errors/{index}"));
            assert_close(error, number(answer, &format!("/beta_se/{index}")), 1e-3);
            let variance = number(&result, &format!("/mean/covariance/{index}/{index}"));
            assert_close(error * error, variance, 1e-12);
        }
    }
}

#[test]
fn the_result_has_the_promised_fields_and_the_model_file_the_same() {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let flags = "--fix smoothness=0.5 --json result.json -o model.json";
    let run =
        tegula_in(&folder, &format!("exageostat fit {} {flags}", sample.display())).succeeded();
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("the file is there");
    assert_eq!(read("result.json"), read("model.json"));
    let result: Value = serde_json::from_str(&read("model.json")).expect("JSON");
    let numbers = [
        "loglik",
        "gradient_norm",
        "std_errors/variance",
        "std_errors/range",
        "intervals/range/0",
        "intervals/range/1",
        "evaluations",
        "gradients",
        "iterations",
        "seconds",
        "nugget",
        "params/variance",
        "params/range",
        "params/smoothness",
        "mean/coefficients/0",
        "data/n",
    ];
    numbers.iter().for_each(|name| assert!(number(&result, &format!("/{name}")).is_finite()));
    assert_eq!(result["tegula_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["converged"], true);
    assert_eq!(result["criterion"], "ml");
    assert_eq!(result.pointer("/std_errors/smoothness"), Some(&Value::Null), "it is fixed");
    let range = ["params/range", "intervals/range/0", "intervals/range/1"];
    let [range, low, high] = range.map(|name| number(&result, &format!("/{name}")));
    assert!(low < range && range < high, "{low} {range} {high}");
    assert!(run.stdout.contains("95 % interval"), "{}", run.stdout);
    assert!(result["message"].as_str().is_some_and(|text| text.starts_with("converged")));
    assert_eq!(result["bounds_hit"], serde_json::json!([]));
    assert_eq!(result.pointer("/mean/names/0").and_then(Value::as_str), Some("(Intercept)"));
    assert!(run.stdout.contains("tegula exageostat predict model.json"), "{}", run.stdout);
}

#[test]
fn a_parameter_at_its_bound_is_said() {
    let flags = "--fix smoothness=0.5 --bounds range=0.01:0.05";
    let run = tegula(&format!("{SYNTHETIC} {flags}")).succeeded();
    let result = run.json();
    assert_eq!(result.pointer("/bounds_hit/0/parameter").and_then(Value::as_str), Some("range"));
    assert!(number(&result, "/params/range") <= 0.05);
    let said =
        "range ended at its upper bound, 0.05: the maximum may lie beyond; --bounds moves it";
    assert!(run.stderr.replace('\n', " ").replace("  ", "").contains(said), "{}", run.stderr);
    assert_eq!(result["remarks"], serde_json::json!([said]));
}

#[test]
fn a_start_is_taken_and_a_wrong_one_refused() {
    let fit = "exageostat fit data/samples/e_sub140.csv --covariance exponential --json - --quiet";
    let best = tegula(&format!("{fit} --estimate-nugget")).succeeded().json();
    let start = format!(
        "--start variance={},range={} --start nugget=0",
        number(&best, "/params/variance"),
        number(&best, "/params/range")
    );
    let first = tegula(&format!("{fit} --estimate-nugget {start} --max-evaluations 1"));
    let first = first.succeeded().json();
    assert_close(number(&first, "/loglik"), number(&best, "/loglik"), 1e-3);
    for (flags, words) in [
        ("--start range=1,range=2", &["--start: range is given twice"][..]),
        ("--start range=1 --start range=2", &["--start: range is given twice"]),
        ("--start range", &["'range' is not of the form name=value"]),
        ("--start range=-1", &["range of exponential is -1"]),
        ("--start nugget=1", &["--start: the nugget", "--estimate-nugget"]),
        ("--estimate-nugget --start nugget=-1", &["--start: a nugget is a variance"]),
        ("--fix range=1 --start range=1", &["range has both --fix and --start"]),
        ("--bounds range=1:2 --start range=3", &["cannot start from range=3", "from 1 to 2"]),
    ] {
        tegula(&format!("{fit} {flags}")).failed(2, words);
    }
}

#[test]
fn as_many_parameters_as_observations_are_refused() {
    let folder = crate::support::folder_with("d.csv", "x,y,z\n0,0,1\n1,0,2\n0,1,4\n1,1,3\n2,0,1\n");
    let few = tegula_in(&folder, "exageostat fit d.csv --covariance exponential --json -");
    let few = few.succeeded().json();
    assert!(few["remarks"][0].as_str().is_some_and(|text| text.contains("5 observations are few")));
    tegula_in(&folder, "exageostat fit d.csv --covariance matern --estimate-nugget")
        .failed(2, &["d.csv: 5 observations are too few for 5 parameters", "smoothness, nugget"]);
}

#[test]
fn a_search_that_runs_out_of_evaluations_says_so_and_keeps_its_best() {
    let run = tegula(&format!("{SYNTHETIC} --max-evaluations 3")).succeeded();
    let result = run.json();
    assert_eq!(result["converged"], false);
    assert!(number(&result, "/evaluations") < 15.0);
    assert!(run.stderr.contains("--max-evaluations"), "{}", run.stderr);
}

#[test]
fn what_is_fixed_stays_and_a_nugget_is_estimated_within_its_bounds() {
    let flags = "--fix variance=2,smoothness=0.5 --estimate-nugget --bounds nugget=0.1:0.2";
    let data = "exageostat fit data/samples/e_sub140.csv --json - --quiet";
    let result = tegula(&format!("{data} {flags}")).succeeded().json();
    assert_eq!(number(&result, "/params/variance"), 2.0);
    assert_eq!(number(&result, "/params/smoothness"), 0.5);
    let nugget = number(&result, "/nugget");
    assert!((0.1 - 1e-12..=0.2 + 1e-12).contains(&nugget), "{nugget}");
}

#[test]
fn people_read_the_estimates() {
    let run = tegula(TEXAS).succeeded();
    for word in ["variance", "range", "nugget", "log-likelihood", "-355.46", "converged after"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
}

#[test]
fn a_limit_of_evaluations_is_kept_and_said() {
    for (optimizer, most) in
        [("average-information", 1), ("average-information", 3), ("bobyqa", 1), ("bobyqa", 20)]
    {
        let flags = format!("{SYNTHETIC} --optimizer {optimizer} --max-evaluations {most}");
        let result = tegula(&flags).succeeded().json();
        assert_eq!(number(&result, "/evaluations"), f64::from(most));
        assert_eq!(result["converged"], false);
    }
}
