//! `--config`: flags from a file.

use std::fs;

use crate::support::{folder_with, number, root, tegula_in};

/// Runs `loglik` with the file `text`.
fn run(text: &str, more: &str) -> crate::support::Run {
    let folder = folder_with("run.toml", text);
    let sample = root().join("data/samples/e_sub140.csv");
    fs::copy(sample, folder.join("data.csv")).expect("the sample is there");
    tegula_in(&folder, &format!("exageostat loglik data.csv --json - {more}"))
}

const FILE: &str = "# flags\ncovariance = 'exponential'\nparams = { variance = 1, range = 0.1 }\n\
                    workers = 1\nquiet = true\nsync = false\n";

#[test]
fn flags_may_come_from_a_file_and_the_command_line_wins() {
    let result = run(FILE, "--config run.toml").succeeded();
    let json = result.json();
    assert!(result.stderr.is_empty(), "{}", result.stderr);
    assert_eq!(json["covariance"], "exponential");
    assert_eq!(number(&json, "/workers"), 1.0);
    assert_eq!(number(&json, "/params/range"), 0.1);
    let other = run(FILE, "--config=run.toml --workers 2 --params 1,0.2").succeeded().json();
    assert_eq!(number(&other, "/workers"), 2.0);
    assert_eq!(number(&other, "/params/range"), 0.2);
}

#[test]
fn mistakes_in_a_file_are_named_with_their_line() {
    let flags = "--config run.toml --params 1,0.1,0.5";
    run("workers = 2\npolcy = 'lws'\n", flags).failed(2, &["run.toml, line 2", "polcy", "policy"]);
    run("sync = 3\n", flags).failed(2, &["run.toml, line 1", "sync takes true or false"]);
    run("\nworkers = 'many'\n", flags).failed(2, &["--workers", "many", "run.toml, line 2"]);
    run("workers = \n", flags).failed(2, &["run.toml", "line 1"]);
    run("config = 'other.toml'\n", flags).failed(2, &["run.toml, line 1", "config"]);
    run("", "--config none.toml --params 1,0.1,0.5").failed(2, &["none.toml"]);
}

#[test]
fn a_flag_of_the_command_line_puts_out_those_of_the_file_that_cannot_stand_beside_it() {
    let folder = folder_with("run.toml", "estimate-nugget = true\nworkers = 1\n");
    let sample = root().join("data/samples/e_sub140.csv");
    let fit = format!("exageostat fit {} --config run.toml --json -", sample.display());
    let estimated = tegula_in(&folder, &fit).succeeded().json();
    assert!(number(&estimated, "/nugget") != 0.01);
    let known = tegula_in(&folder, &format!("{fit} --nugget 0.01")).succeeded().json();
    assert_eq!(number(&known, "/nugget"), 0.01);
}

#[test]
fn a_flag_is_given_once_or_its_values_add_up() {
    let sample = root().join("data/samples/e_sub140.csv");
    let folder = folder_with("run.toml", "fix = { smoothness = 1.5 }\nvalues = 'z'\nverbose = 1\n");
    let run = |command: &str, more: &str| {
        tegula_in(&folder, &format!("exageostat {command} {} --json - {more}", sample.display()))
    };
    let fixed = "--fix variance=1 --fix smoothness=0.5 --bounds range=0.01:1";
    let both = run("fit", fixed).succeeded().json();
    assert_eq!(number(&both, "/params/variance"), 1.0);
    assert_eq!(number(&both, "/params/smoothness"), 0.5);
    let config = run("fit", &format!("--config run.toml {fixed} --values x+z")).succeeded().json();
    assert_eq!(number(&config, "/params/smoothness"), 0.5, "the command line wins");
    assert_eq!(config["data"]["columns"]["values"], "x+z");
    run("fit", "--fix variance=1 --fix variance=2").failed(2, &["variance is given twice"]);
    let params = "--params variance=1 --params range=0.1,smoothness=0.5";
    assert_eq!(number(&run("loglik", params).succeeded().json(), "/params/range"), 0.1);
    run("loglik", "--params 1,0.1 --params 0.5").failed(2, &["--params", "2 times"]);
    for flag in ["--mean x", "--values z", "--coords x,y", "--workers 1", "--distance euclidean"] {
        let twice = format!("--params 1,0.1,0.5 {flag} {flag}");
        let name = flag.split(' ').next().expect("a name");
        run("loglik", &twice).failed(2, &[name, "cannot be used multiple times"]);
    }
    run("loglik", "--params 1,0.1,0.5 --quiet --quiet --sync --sync").succeeded();
    tegula_in(&folder, "linalg potrf -n 20 -n 30").failed(2, &["-n", "multiple times"]);
    tegula_in(&folder, "linalg potrf -n 20 -qv --config run.toml").failed(2, &["fix", "no flag"]);
}

#[test]
fn flags_by_their_letters_win_too() {
    let folder = folder_with("run.toml", "quiet = true\nverbose = 2\noutput = 'a.csv'\n");
    let sample = "exageostat sample -n 5 --params 1,0.1,0.5 --config run.toml -vob.csv";
    tegula_in(&folder, sample).succeeded();
    assert!(folder.join("b.csv").exists() && !folder.join("a.csv").exists());
}
