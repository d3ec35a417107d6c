//! Means as formulas, their coefficients, and transformed values, from the binary.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Run, answers, assert_close, column, folder, number, root};

/// A new folder with the data of the answers.
fn data() -> PathBuf {
    let folder = folder();
    let from = root().join("tests/answers/means.csv");
    fs::copy(from, folder.join("data.csv")).expect("the data are there");
    folder
}

fn run(folder: &Path, command: &str, more: &[&str]) -> Run {
    let mut command = crate::support::command(folder, &format!("exageostat {command}"));
    Run::new(command.args(more).output().expect("the binary starts"))
}

const FIT: &str = "fit data.csv --coords x,y --values z --covariance exponential --json -";

#[test]
fn coefficients_are_those_of_generalised_least_squares() {
    let folder = data();
    for answer in answers("means.json")["fits"].as_array().expect("a list") {
        let mean = answer["mean"].as_str().expect("text");
        let reml = if answer["criterion"] == "reml" { &["--reml"][..] } else { &[] };
        let flags = ["--mean", mean, "--transform", "log", "--estimate-nugget"];
        let result = run(&folder, FIT, &[&flags, reml].concat()).succeeded().json();
        assert!((number(&result, "/loglik") - number(answer, "/loglik")).abs() < 1e-5, "{mean}");
        assert_eq!(result["mean"]["names"], answer["names"]);
        let n = 60.0 - answer["names"].as_array().expect("a list").len() as f64;
        assert_eq!(number(&result, "/coefficients_df"), n);
        for (index, name) in answer["names"].as_array().expect("a list").iter().enumerate() {
            let found = &result["coefficients"][index];
            assert_eq!(found["name"], *name);
            let error = number(answer, &format!("/std_error/{index}"));
            let shift =
                (number(found, "/estimate") - number(answer, &format!("/estimate/{index}"))).abs();
            // The covariance is found to a thousandth of its own error.
            assert!(shift < 2e-3 * error, "{mean}, {name}: off by {shift}");
            for key in ["std_error", "t"] {
                let theirs = number(answer, &format!("/{key}/{index}"));
                assert!((number(found, &format!("/{key}")) / theirs - 1.0).abs() < 0.02, "{key}");
            }
            // A probability changes as much, relatively, as the square of t.
            let (p, t) =
                (number(answer, &format!("/p/{index}")), number(answer, &format!("/t/{index}")));
            assert!((number(found, "/p") / p).ln().abs() < 0.02 * (1.0 + t * t), "{mean}, {name}");
        }
    }
}

#[test]
fn models_with_factors_and_polynomials_predict() {
    let folder = data();
    let mean = "poly(elev, 2) + land*factor(code)";
    let known = ["--fix", "variance=300,range=0.2", "--nugget", "20", "-o", "model.json"];
    let text = run(&folder, FIT, &[&["--mean", mean][..], &known].concat()).succeeded().stdout;
    let fitted: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        fitted["mean"]["variables"][1]["levels"],
        serde_json::json!(["Arable", "Moor", "town", "wood"])
    );
    // The whole table, and then some rows of it, whose basis must be that of the data.
    let predict = "predict model.json --quiet --at";
    run(&folder, predict, &["data.csv", "-o", "all.csv"]).succeeded();
    let table = fs::read_to_string(folder.join("data.csv")).expect("a table");
    let some: Vec<&str> = table.lines().take(4).collect();
    fs::write(folder.join("some.csv"), some.join("\n") + "\n").expect("written");
    run(&folder, predict, &["some.csv", "-o", "out.csv"]).succeeded();
    for name in ["mean", "variance"] {
        let (all, some) =
            (column(&folder.join("all.csv"), name), column(&folder.join("out.csv"), name));
        assert_eq!(some.len(), 3);
        some.iter().zip(&all).for_each(|(some, all)| assert_close(*some, *all, 1e-12));
    }
    let loglik = run(&folder, "loglik model.json --json -", &[]).succeeded().json();
    assert_close(number(&loglik, "/loglik"), number(&fitted, "/loglik"), 1e-12);
    fs::write(folder.join("new.csv"), "x,y,elev,land,code\n0,0,200,wood,1\n0,0,200,sea,1\n")
        .expect("written");
    let new = run(&folder, predict, &["new.csv"]);
    new.failed(2, &["new.csv, line 3", "land has no level 'sea'", "Arable, Moor, town, wood"]);
    fs::write(folder.join("code.csv"), "x,y,elev,land,code\n0,0,200,wood,3\n").expect("written");
    run(&folder, predict, &["code.csv"]).failed(2, &["factor(code) has no level '3'", "1, 2, 10"]);
    let broken = text.replace("\"are_numbers\"", "\"numbers\"");
    fs::write(folder.join("broken.json"), broken).expect("written");
    run(&folder, "predict broken.json --at data.csv", &[]).failed(2, &["mean.variables are not"]);
}

#[test]
fn aliased_columns_have_no_coefficient() {
    let folder = data();
    let known = ["--fix", "variance=300,range=0.2", "--nugget", "20"];
    let fit = |mean: &str| {
        run(&folder, FIT, &[&["--mean", mean, "-o", "model.json"][..], &known].concat())
    };
    let full = fit("land + elev").succeeded().json();
    // An intercept and all levels, as R's lm reports them: the last is not determined.
    let aliased = fit("land:factor(code)").succeeded().json();
    assert_eq!(aliased["mean"]["aliased"], serde_json::json!(["landwood:factor(code)10"]));
    let coefficients = aliased["coefficients"].as_array().expect("a list");
    assert_eq!((coefficients.len(), &coefficients[12]["estimate"]), (13, &Value::Null));
    let twice = fit("land + elev + I(elev/2)").succeeded();
    assert!(twice.stderr.contains("1 column of the mean depend") && twice.stderr.contains("NA"));
    let twice = twice.json();
    assert_close(number(&twice, "/loglik"), number(&full, "/loglik"), 1e-12);
    // Where the column is no combination any more, nothing is known.
    let at = "x,y,elev,land,code\n0,0,200,wood,1\n";
    fs::write(folder.join("at.csv"), at).expect("written");
    run(&folder, "predict model.json --at at.csv", &[]).succeeded();
    fit("elev + I(elev*(x < 9))").failed(2, &["unexpected '<'"]);
}

#[test]
fn a_point_takes_the_columns_that_are_left() {
    let folder = data();
    let known = ["--fix", "variance=300,range=0.2", "--nugget", "20"];
    let result =
        run(&folder, FIT, &[&["--mean", ". - code"][..], &known].concat()).succeeded().json();
    let names = ["(Intercept)", "elev", "landMoor", "landtown", "landwood"];
    assert_eq!(result["mean"]["names"], serde_json::json!(names));
}

#[test]
fn box_cox_is_estimated_and_likelihoods_compare() {
    let folder = data();
    let answer = &answers("means.json")["box_cox"];
    let flags = ["--mean", "elev + land", "--estimate-nugget", "-o", "model.json", "--transform"];
    let fit = |transform: &str| run(&folder, FIT, &[&flags[..], &[transform]].concat());
    let best = fit("box-cox").succeeded().json();
    assert!((number(&best, "/loglik") - number(answer, "/loglik")).abs() < 1e-5);
    let lambda = number(&best, "/transform/lambda");
    assert!((lambda - number(answer, "/lambda")).abs() < 2e-3, "{lambda}");
    assert_eq!(best["transform"]["estimated"], true);
    let loglik = run(&folder, "loglik model.json --json -", &[]).succeeded().json();
    assert_close(number(&loglik, "/loglik"), number(&best, "/loglik"), 1e-9);
    let least = number(&best, "/loglik");
    for (transform, is_near) in
        [("log", true), ("box-cox:0", true), ("sqrt", true), ("none", false)]
    {
        let loglik = number(&fit(transform).succeeded().json(), "/loglik");
        assert!(loglik <= least + 1e-6, "{transform}: {loglik} above {least}");
        assert_eq!(least - loglik < 2.0, is_near, "{transform}: {loglik}, {least}");
    }
    fit("box-cox:x").failed(2, &["no exponent"]);
    fit("cube").failed(2, &["box-cox:LAMBDA"]);
    let more = [&flags[..], &["box-cox", "--checkpoint", "c"]].concat();
    run(&folder, FIT, &more).failed(2, &["box-cox:LAMBDA"]);
}

#[test]
fn transformed_predictions_are_on_the_scale_of_the_values() {
    let folder = data();
    let fit =
        "--transform log --mean elev --fix variance=0.02,range=0.3 --nugget 0.01 -o model.json";
    run(&folder, FIT, &fit.split(' ').collect::<Vec<_>>()).succeeded();
    run(&folder, "predict model.json --at data.csv -o out.csv", &[]).succeeded();
    let of = |name: &str| column(&folder.join("out.csv"), name);
    let (m, v) = (of("transformed_mean"), of("transformed_variance"));
    let (mean, variance, lower, observed) =
        (of("mean"), of("variance"), of("lower95"), of("variance_obs"));
    for i in 0..m.len() {
        assert_close(of("median")[i], m[i].exp(), 1e-12);
        assert_close(variance[i], (2.0 * m[i] + v[i]).exp() * v[i].exp_m1(), 1e-12);
        assert_close(lower[i], (m[i] - 1.959963984540054 * v[i].sqrt()).exp(), 1e-12);
        let w = v[i] + 0.01;
        assert_close(observed[i], (2.0 * m[i] + w).exp() * w.exp_m1(), 1e-12);
        // The Lagrange term is the same for the field and for new observations.
        assert_close(of("mean_obs")[i] / mean[i], 0.005f64.exp(), 1e-12);
    }
    // The logarithms as values give the same field.
    let plain = "fit data.csv --coords x,y --values log(z) --covariance exponential --mean elev \
                 --fix variance=0.02,range=0.3 --nugget 0.01 -o plain.json";
    run(&folder, plain, &[]).succeeded();
    run(&folder, "predict plain.json --at data.csv -o plain.csv", &[]).succeeded();
    let plain = column(&folder.join("plain.csv"), "mean");
    m.iter().zip(&plain).for_each(|(a, b)| assert_close(*a, *b, 1e-12));
    let text = fs::read_to_string(folder.join("data.csv")).expect("a table");
    let text = text.replacen(",35.0654\n", ",-1\n", 1);
    fs::write(folder.join("data.csv"), text).expect("written");
    run(&folder, FIT, &["--transform", "sqrt"])
        .failed(2, &["data.csv, line 2", "-1 is not positive"]);
}
