//! Covariances that depend on direction, through every command that takes one.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{column, folder, tegula_in};

const TRUTH: &str = "--covariance exponential:anisotropic --params 1,0.3,30,0.4";

/// A folder with `field.csv`, 250 values with directions.
fn drawn() -> PathBuf {
    let folder = folder();
    let draw = format!("exageostat sample --n 250 --seed 2 {TRUTH} -o field.csv");
    tegula_in(&folder, &draw).succeeded();
    folder
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

#[test]
fn a_model_with_directions_goes_through_all_commands() {
    let folder = drawn();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let flags = "--covariance exponential:anisotropic";
    run(&format!("fit field.csv {flags} --bounds ratio=0.1:1 --report r.html -o model.json"));
    run("fit field.csv --covariance exponential -o plain.json");
    let text = fs::read_to_string(folder.join("model.json")).expect("a model");
    let model: Value = serde_json::from_str(&text).expect("JSON");
    let angle = number(&model, "/params/angle");
    assert!((0.0..180.0).contains(&angle) && number(&model, "/std_errors/angle") < 30.0);
    let (low, high) = (number(&model, "/intervals/angle/0"), number(&model, "/intervals/angle/1"));
    assert!((0.5 * (low + high) - angle).abs() < 1e-9, "its interval is symmetric");
    // The log-likelihood of the model on its data, and its gradient there: a maximum.
    let found = run("loglik model.json --gradient --json - -q").json();
    let loglik = number(&model, "/loglik");
    assert!((number(&found, "/loglik") - loglik).abs() < 1e-8 * loglik.abs());
    assert!(number(&found, "/gradient/angle").abs() < 1e-2, "{found}");
    let page = fs::read_to_string(folder.join("r.html")).expect("a page");
    assert!(page.contains("Lines: the model along ") && page.contains("Quadratic in the angle"));
    let places = "--grid 0.1:0.9:0.2,0.1:0.9:0.2";
    for more in ["", "--block 0.1x0.2", "--neighbours 250", "--joint c.csv", "--simulate 2"] {
        run(&format!("predict model.json {places} {more} -o p.csv"));
    }
    let means = |name: &str| column(&folder.join(name), "mean");
    run(&format!("predict model.json {places} -o a.csv"));
    run(&format!("predict model.json {places} --neighbours 250 -o b.csv"));
    for (a, b) in means("a.csv").iter().zip(means("b.csv")) {
        assert!((a - b).abs() < 1e-9, "{a}, {b}");
    }
    let assessed =
        run("assess model.json --fisher --cross-validate 4 --against plain.json --json - -q");
    let assessed = assessed.json();
    let error = number(&assessed, "/fisher/std_errors/angle");
    assert!((error / number(&model, "/std_errors/angle") - 1.0).abs() < 1e-6, "{error}");
    let test = &assessed["against"];
    assert_eq!((number(test, "/df"), test["at_boundary"].as_array().map(Vec::len)), (2.0, Some(0)));
    assert!(number(test, "/p") < 0.05, "{test}");
    run("assess model.json --mloe-mmom --truth variance=1,range=0.3,angle=30,ratio=0.4");
    run("plot model.json -o plot.html");
    run("sample model.json -o drawn.csv");
    run(&format!("fit field.csv {flags} --dry-run"));
}

#[test]
fn places_and_parameters_that_have_no_such_directions_are_refused() {
    let folder = drawn();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}"));
    let sphere = "--distance great-circle --coords y,x";
    run(&format!("loglik field.csv {TRUTH} {sphere}")).failed(2, &["the plane", "the sphere"]);
    run(&format!("fit field.csv --covariance matern:xy {sphere}"))
        .failed(2, &["matern:xy", "sphere"]);
    run("fit field.csv --covariance matern:xyz").failed(2, &["matern:xyz", "space", "the plane"]);
    run("sample --n 9 --dimensions 3 --covariance gaussian:xy --params 1,0.1,0.2")
        .failed(2, &["gaussian:xy", "two coordinates", "space"]);
    run("fit field.csv --covariance matern:yx").failed(2, &["matern:yx"]);
    let params = |values: &str| {
        run(&format!("loglik field.csv --covariance exponential:anisotropic --params {values}"))
    };
    params("1,0.3,30,1.5").failed(2, &["ratio", "1.5", "at most 1"]);
    params("1,0.3,30").failed(2, &["variance,range,angle,ratio"]);
    params("1,0.3,500,0.5").failed(2, &["angle", "500", "at most 360"]);
    let fit =
        |more: &str| run(&format!("fit field.csv --covariance exponential:anisotropic {more}"));
    fit("--bounds angle=-400:20").failed(2, &["angle", "above -360"]);
    fit("--bounds angle=40:60 --start angle=90").failed(2, &["angle=90", "40", "60"]);
    fit("--fix range_x=1").failed(2, &["range_x", "variance, range, angle, ratio"]);
}
