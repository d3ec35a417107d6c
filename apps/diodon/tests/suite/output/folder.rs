//! The folder of results as a whole: the files of one run, and none of another.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tegula_diodon::Ordination;
use tegula_diodon::output::{Output, OutputError};

use super::sample::{ordination, table};

/// Names of all that is in a folder, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Writes `ordination` to `folder`; names of files that are gone.
fn rewritten(folder: &Path, ordination: &Ordination, has_weights: bool) -> Vec<&'static str> {
    let weights = vec![2.0; ordination.items()];
    let files = Output::files(ordination, has_weights);
    let summary = json!({ "files": files });
    let weights = has_weights.then_some(&weights[..]);
    let output = Output { ordination, labels: None, weights, summary: &summary, title: "d" };
    output.write(folder).unwrap().removed
}

#[test]
fn files_of_an_earlier_run_are_removed_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (plain, table) = (ordination(6, 2, false), table(6, 2, false));
    // Not of a run: whoever put it there keeps it.
    fs::write(folder.join("instruments.csv"), "mine").unwrap();
    assert_eq!(rewritten(folder, &plain, true), [""; 0]);
    assert_eq!(fs::read_to_string(folder.join("instruments.csv")).unwrap(), "mine");
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(rewritten(folder, &plain, false), ["weights.csv"]);
    assert_eq!(rewritten(folder, &table, false), [""; 0]);
    let gone = [
        "contributions.csv",
        "variables.csv",
        "variables_quality.csv",
        "variables_contributions.csv",
        "instruments.csv",
    ];
    assert_eq!(rewritten(folder, &plain, false), gone);
    let mut expected: Vec<&str> = Output::files(&plain, false);
    expected.push("notes.txt");
    expected.sort_unstable();
    assert_eq!(names_in(folder), expected);
}

#[test]
fn summaries_without_names_of_files_say_what_the_run_left() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = ordination(6, 2, false);
    for name in ["weights.csv", "variables.csv"] {
        fs::write(folder.join(name), "").unwrap();
    }
    let summary = json!({ "tegula_version": "0.1.0", "weighted": true, "n": 6 });
    fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
    assert_eq!(rewritten(folder, &plain, false), ["weights.csv"]);
    assert!(folder.join("variables.csv").exists(), "no run of distances leaves it");
}

#[test]
fn a_run_that_was_killed_leaves_no_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = ordination(6, 2, false);
    rewritten(folder, &plain, true);
    // Killed between two files: the summary of the run before is aside, and none is in its place.
    let aside = folder.join(".tegula-results");
    fs::create_dir(&aside).unwrap();
    fs::rename(folder.join("summary.json"), aside.join("earlier.json")).unwrap();
    fs::write(aside.join("report.html"), "half of it").unwrap();
    assert_eq!(rewritten(folder, &plain, false), ["weights.csv"]);
    let mut expected = Output::files(&plain, false);
    expected.sort_unstable();
    assert_eq!(names_in(folder), expected);
}

#[test]
fn a_folder_holds_every_file_and_no_other() {
    let ordination = ordination(12, 3, true);
    let summary = json!({"n": 12, "seconds": 0.1, "gof": null, "zeta": 1, "alpha": 2});
    let (labels, weights, title) = (None, None, "d.h5");
    let output = Output { ordination: &ordination, labels, weights, summary: &summary, title };
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("new").join("deeper");
    let paths = output.write(&deep).unwrap().paths;
    let mut expected: Vec<String> =
        Output::files(&ordination, false).into_iter().map(str::to_owned).collect();
    assert_eq!(paths, expected.iter().map(|name| deep.join(name)).collect::<Vec<_>>());
    expected.sort();
    assert_eq!(names_in(&deep), expected);
    let text = fs::read_to_string(deep.join("summary.json")).unwrap();
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read, summary);
    assert!(text.find("zeta") < text.find("alpha"), "the order is kept: {text}");
    // Again over what is there, as a second run does.
    output.write(&deep).unwrap();
    assert_eq!(names_in(&deep), expected);
}

#[test]
fn what_cannot_be_written_is_named() {
    let ordination = ordination(3, 2, false);
    let summary = json!({});
    let (labels, weights, title) = (None, None, "d");
    let output = Output { ordination: &ordination, labels, weights, summary: &summary, title };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = output.write(&file.join("below")).unwrap_err();
    assert!(matches!(&error, OutputError::Folder { path, .. } if *path == file.join("below")));
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("quality.csv")).unwrap();
    let error = output.write(&taken).unwrap_err().to_string();
    assert!(error.contains("quality.csv"), "{error}");
    assert_eq!(names_in(&taken), ["quality.csv"], "nothing is in its place unless all is");
}

#[test]
#[should_panic(expected = "5 coordinates where 3 items on 2 axes need 6")]
fn parts_must_fit() {
    let mut ordination = ordination(3, 2, false);
    ordination.coordinates.pop();
    let (labels, weights, title) = (None, None, "d");
    let output = Output { ordination: &ordination, labels, weights, summary: &Value::Null, title };
    let _ = output.write(tempfile::tempdir().unwrap().path());
}
