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
fn more_contexts_than_can_be_are_refused() {
    let folder = some(100);
    let fit = |flags: &str| tegula_in(&folder, &format!("exageostat fit some.csv {flags}"));
    let more = fit("--starts 4 --contexts 3 --workers 2");
    more.failed(2, &["--contexts 3 is more than 2 workers"]);
    let devices = fit("--starts 4 --contexts 2 --workers 1 --devices emulated:1:64MiB");
    devices.failed(2, &["shares the cores of one process"]);
}
