//! What goes wrong is said as JSON, too, where JSON was asked for.

use std::fs;

use serde_json::Value;

use crate::support::{Run, folder, folder_with, tegula_in};

const DATA: &str = "x,y,z\n0,0,1\n1,1,2\n2,0.5,3\n0,2,1.5\n3,1,0.5\n";

/// The failure that standard output holds, with `code` and all of `words`; standard error says it
/// as ever.
#[track_caller]
fn assert_said(run: Run, code: i32, words: &str) {
    let object: Value = run.json();
    assert_eq!(object["exit_code"], code, "{object}");
    assert_eq!(object.as_object().map(|object| object.len()), Some(2), "{object}");
    let message = object["error"].as_str().expect("a message").to_owned();
    assert!(message.contains(words), "{message}");
    assert!(run.stderr.contains(message.lines().next().unwrap_or("none")), "{}", run.stderr);
    run.failed(code, &[words]);
}

#[test]
fn a_failure_is_one_object_with_its_message_and_exit_code() {
    let folder = folder_with("data.csv", DATA);
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments} --json -"));
    assert_said(run("loglik no-such.csv --params 1,1,1"), 2, "no-such.csv");
    assert_said(run("loglik data.csv --params 1,-1,1"), 2, "range of matern is -1");
    fs::write(folder.join("near.csv"), DATA.to_owned() + "3,1.0000000001,0.6\n").expect("written");
    assert_said(run("loglik near.csv --params 1,1,1.5"), 1, "not positive definite");
    assert_said(run("loglik data.csv --parms 1,1,1"), 2, "unexpected argument '--parms'");
    assert_said(run("sample -n 4 --params 1,1,1"), 2, "cannot both go to standard output");
    assert_said(run("loglik data.csv --params 1,1,1 --config no.toml"), 2, "no.toml");
    assert_said(run("loglik data.csv --params 1,-1,1 --ranks local:2"), 2, "range of matern");
    fs::write(folder.join("flags.toml"), "json = \"-\"\n").expect("written");
    let by_file = "exageostat loglik data.csv --params 1,-1,1 --config flags.toml";
    assert_said(tegula_in(&folder, by_file), 2, "range of matern is -1");
}

#[test]
fn a_failure_leaves_files_as_they_are_and_tables_alone() {
    let folder = folder_with("data.csv", DATA);
    fs::write(folder.join("result.json"), "{}").expect("written");
    let run = tegula_in(&folder, "exageostat loglik data.csv --params 1,-1,1 --json result.json");
    assert_said(run, 2, "range of matern is -1");
    assert_eq!(fs::read_to_string(folder.join("result.json")).expect("it is there"), "{}");
    // Standard output is the table's.
    let run = tegula_in(&folder, "exageostat sample -n 9 --params 1,-1,1 --json result.json");
    assert_eq!(run.stdout, "");
    run.failed(2, &["range of matern is -1"]);
    // Nobody asked for JSON.
    let run = tegula_in(&folder, "exageostat loglik data.csv --params 1,-1,1");
    assert_eq!(run.stdout, "");
}

#[test]
fn help_and_versions_are_no_failures() {
    for arguments in ["exageostat loglik --json - --help", "--version"] {
        let run = tegula_in(&folder(), arguments).succeeded();
        assert!(!run.stdout.contains("exit_code"), "{}", run.stdout);
    }
}
