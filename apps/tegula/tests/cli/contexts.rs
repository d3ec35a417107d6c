//! Starts and parts side by side in contexts: the results of one after the other.

use std::fs;

use crate::support::{folder, root, tegula_in};

/// The first places of the sample.
fn some(places: usize) -> std::path::PathBuf {
    let folder = folder();
    let sample = fs::read_to_string(root().join("data/samples/a_synth1600.csv")).expect("a sample");
    let lines: Vec<&str> = sample.lines().take(places + 1).collect();
    fs::write(folder.join("some.csv"), lines.join("\n")).expect("written");
    folder
}

#[test]
fn starts_side_by_side_are_those_one_after_the_other() {
    let folder = some(200);
    let fit = |contexts: &str| {
        let flags = "--starts 5 --workers 3 --deterministic --estimate-nugget --json -";
        tegula_in(&folder, &format!("exageostat fit some.csv {flags} {contexts}")).succeeded()
    };
    let [one, two, by_default] = ["--contexts 1", "--contexts 2", ""].map(|flag| fit(flag).json());
    for found in [&two, &by_default] {
        for key in
            ["params", "nugget", "loglik", "starts", "std_errors", "evaluations", "converged"]
        {
            assert_eq!(one[key], found[key], "{key}");
        }
        // The rest of the fit alone runs on the flow that counts.
        let [all, rest] = [&one, found].map(|run| run["tasks_run"].as_u64().expect("a count"));
        assert!(rest < all, "{rest} of {all} tasks");
    }
}

#[test]
fn a_grid_is_fits_with_each_value_and_keeps_the_best() {
    let folder = some(200);
    let fit = |flags: &str| {
        let flags = format!("exageostat fit some.csv --workers 3 --deterministic --json - {flags}");
        tegula_in(&folder, &flags).succeeded().json()
    };
    let values = [0.25, 0.5, 1.0, 1.5];
    let list = values.map(|value| value.to_string()).join(",");
    for others in ["--estimate-nugget", "--starts 2 --mean x --method vecchia:10"] {
        let [one, three] = ["--contexts 1", "--contexts 3"]
            .map(|flag| fit(&format!("--grid smoothness={list} {others} {flag}")));
        assert_eq!(one["grid"], three["grid"]);
        assert_eq!(one["grid"]["parameter"], "smoothness");
        let logliks = values.iter().enumerate().map(|(place, value)| {
            let point = &one["grid"]["points"][place];
            let alone = fit(&format!("--fix smoothness={value} {others}"));
            assert_eq!(point["value"], *value);
            for key in ["params", "nugget", "loglik", "converged", "evaluations"] {
                assert_eq!(point[key], alone[key], "{key} at {value} with {others}");
            }
            (alone["loglik"].as_f64().expect("a number"), alone)
        });
        let best = logliks.reduce(|a, b| if b.0 > a.0 { b } else { a }).expect("four").1;
        for key in ["params", "nugget", "loglik", "std_errors", "estimated"] {
            assert_eq!(one[key], best[key], "{key} with {others}");
        }
    }
    let shares = fit("--grid nugget=0:0.3:4 --fix smoothness=0.5");
    let points = shares["grid"]["points"].as_array().expect("points");
    let nuggets: Vec<f64> = points.iter().filter_map(|point| point["nugget"].as_f64()).collect();
    assert_eq!(nuggets.len(), 4);
    assert!(nuggets.iter().zip([0.0, 0.1, 0.2, 0.3]).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn a_grid_that_is_none_is_refused() {
    let folder = some(100);
    for (flags, why) in [
        ("--grid smoothness", "is not of the form NAME=V1,V2,... or NAME=LOW:HIGH:COUNT"),
        ("--grid smooth=1", "no parameter 'smooth'; there are variance, range, smoothness, nugget"),
        ("--grid smoothness=1,0.5,1", "smoothness=1 is given twice"),
        ("--grid smoothness=2:1:5", "LOW:HIGH:COUNT goes from the lower value"),
        ("--grid smoothness=0:1:5", "smoothness of matern is 0"),
        ("--grid nugget=-1,1", "a nugget of -1 is below 0"),
        ("--grid range=0.1 --fix range=0.1", "range has both --grid and --fix"),
        ("--grid nugget=0.1 --estimate-nugget", "nugget has both --grid and --estimate-nugget"),
        ("--grid range=0.1 --transform box-cox", "with a known lambda"),
        ("--grid range=0.1 --trace t.html", "cannot be used with"),
    ] {
        tegula_in(&folder, &format!("exageostat fit some.csv {flags}")).failed(2, &[why]);
    }
}

#[test]
fn parts_side_by_side_are_those_one_after_the_other() {
    let folder = some(200);
    tegula_in(&folder, "exageostat fit some.csv -o model.json").succeeded();
    for parts in ["--cross-validate 7", "--blocks 4"] {
        let assess = |contexts: &str| {
            let flags = format!("{parts} --workers 3 --deterministic --json - {contexts}");
            let run = tegula_in(&folder, &format!("exageostat assess model.json {flags}"));
            let mut folds = run.succeeded().json()["folds"].take();
            folds["seconds"].take();
            folds
        };
        let [one, three, by_default] = ["--contexts 1", "--contexts 3", ""].map(assess);
        assert!(one["rmse"].is_number(), "{one}");
        assert_eq!((&one, &one), (&three, &by_default));
    }
}

#[test]
fn runs_side_by_side_pass_their_checks() {
    let folder = folder();
    let linalg = |flags: &str| tegula_in(&folder, &format!("linalg {flags} --workers 3 --json -"));
    for program in ["potrf -n 200", "geqrf -m 150 -n 90", "heevd -n 80", "gesv -n 120 --nrhs 3"] {
        let run = linalg(&format!("{program} --tile-size 40 --repeat 5 --contexts 3 --check"));
        let result = run.succeeded().json();
        assert_eq!(result["seconds"].as_array().map(Vec::len), Some(5), "{program}");
        assert_eq!(result["contexts"], 3, "{program}");
        assert_eq!(result["check"]["passed"], true, "{program}");
        let longest = result["seconds"].as_array().into_iter().flatten().flat_map(|x| x.as_f64());
        let longest = longest.fold(0.0, f64::max);
        assert!(result["seconds_together"].as_f64() > Some(longest), "{program}: {result:#}");
    }
    linalg("potrf -n 100 --contexts 2").failed(2, &["there is one run; --repeat R asks for more"]);
    let one = "is of one run at a time: leave --contexts out";
    for flag in ["--trace t.html", "--output x.npy"] {
        linalg(&format!("potrf -n 100 --repeat 2 --contexts 2 {flag}")).failed(2, &[one]);
    }
}

#[test]
fn more_contexts_than_can_be_are_refused() {
    let folder = some(100);
    let fit = |flags: &str| tegula_in(&folder, &format!("exageostat fit some.csv {flags}"));
    let more = fit("--starts 4 --contexts 3 --workers 2");
    more.failed(2, &["--contexts 3 is more than 2 workers"]);
    let devices = fit("--starts 4 --contexts 2 --workers 1 --devices emulated:1:64MiB");
    devices.failed(2, &["shares the cores of one process"]);
}
