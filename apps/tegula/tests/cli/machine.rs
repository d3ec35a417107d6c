//! What surrounds the computations: help, completions, pages, benchmarks, pipes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{command, folder, number, root, tegula, tegula_in};

#[test]
fn the_help_fits_a_screen_and_names_every_command() {
    let help = tegula("--help").succeeded().stdout;
    assert!(help.lines().count() <= 40, "{help}");
    for name in ["exageostat", "linalg", "bench", "platform", "info", "completions", "man"] {
        assert!(help.contains(name), "{name} in {help}");
    }
    tegula("").failed(2, &["Usage"]);
    tegula("exageostats").failed(2, &["exageostat"]);
}

/// The commands that `help` lists.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    let names =
        list.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_fits_two_screens_and_its_page_says_more() {
    let mut commands = vec![String::new()];
    let mut count = 0;
    while let Some(command) = commands.pop() {
        let help = tegula(&format!("{command} --help")).succeeded().stdout;
        commands.extend(subcommands(&help).iter().map(|name| format!("{command} {name}")));
        let lines = help.lines().count();
        // Lines with the usage are not broken.
        let mut wide = help.lines().filter(|line| !line.starts_with("Usage") && line.len() > 100);
        assert!(lines <= 100 && wide.next().is_none(), "{lines}: {help}");
        assert_eq!(help, tegula(&format!("{command} -h")).succeeded().stdout);
        assert!(command.is_empty() || help.contains(&format!("'tegula help{command}'")), "{help}");
        count += 1;
    }
    assert!(count > 20, "{count}");
    let page = tegula("help exageostat fit").succeeded().stdout;
    for words in ["--no-local-solve", "1d1d-c+s[:POWERS]: 1d1d-c with", "130 for Ctrl-C"] {
        assert!(page.contains(words), "{words} in {page}");
    }
}

#[test]
fn kernels_are_listed() {
    let list = tegula("bench kernels --list").succeeded().stdout;
    assert!(["potrf", "covariance"].iter().all(|name| list.contains(name)), "{list}");
}

#[test]
fn completions_and_pages_come_from_the_same_definitions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = tegula(&format!("completions {shell}")).succeeded().stdout;
        assert!(script.contains("estimate-nugget"), "{shell}");
    }
    tegula("completions tcsh").failed(2, &["bash"]);
    assert!(tegula("man").succeeded().stdout.contains(".TH"));
    assert!(tegula("man exageostat fit").succeeded().stdout.contains("estimate\\-nugget"));
    tegula("man exageostat fits").failed(2, &["no subcommand 'fits'", "fit"]);
    let folder = folder();
    tegula_in(&folder, "man -o pages").succeeded();
    assert!(folder.join("pages/tegula-exageostat-fit.1").exists());
}

#[test]
fn info_says_what_is_there() {
    let info = tegula("info --json - --quiet").succeeded().json();
    assert!(number(&info, "/workers") >= 1.0);
    let blas = info["blas"].as_array().expect("a list");
    let is_portable = |backend: &Value| backend["name"] == "native-portable";
    assert!(blas.iter().any(|backend| is_portable(backend) && backend["is_usable"] == true));
    assert_eq!(blas.iter().filter(|backend| backend["is_default"] == true).count(), 1);
}

#[test]
fn covariances_are_listed_with_their_parameters_in_order() {
    let run = tegula("exageostat covariances --json -").succeeded();
    let list = run.json();
    let list = list["covariances"].as_array().expect("a list");
    assert!(list.len() >= 5);
    for covariance in list {
        let name = covariance["name"].as_str().expect("a name");
        let parameters = covariance["parameters"].as_array().expect("a list");
        let names: Vec<&str> = parameters.iter().filter_map(|p| p["name"].as_str()).collect();
        let has_many = covariance["variables"] != 1 || name.starts_with("nonstationary");
        assert!(has_many || names[0] == "variance", "{names:?}");
        assert!(run.stderr.contains(&format!("{name} ({})", names.join(","))), "{}", run.stderr);
        assert!(covariance["citation"].as_str().is_some_and(|text| text.len() > 20));
        // The defaults are parameters that sample takes, in this order.
        let values: Vec<String> = parameters.iter().map(|p| p["default"].to_string()).collect();
        let times = if covariance["time"] == true { "--times 2" } else { "" };
        let flags =
            format!("--covariance {name} --nugget 0.1 {times} --params {}", values.join(","));
        tegula(&format!("exageostat sample --n 12 {flags}")).succeeded();
        if covariance["has_forms"] == false {
            continue;
        }
        for (form, values) in [("anisotropic", "0,0.5"), ("xy", "0.1"), ("xyz", "0.1,0.1")] {
            // Values of ranges after the variance, those of angle and ratio at the end.
            let all: Vec<String> = parameters.iter().map(|p| p["default"].to_string()).collect();
            let all = match form {
                "anisotropic" => format!("{},{values}", all.join(",")),
                _ => [&all[..1], &[values.to_owned()], &all[1..]].concat().join(","),
            };
            let more = if form == "xyz" { "--dimensions 3" } else { "" };
            let flags = format!("--covariance {name}:{form} --nugget 0.1 --params {all} {more}");
            tegula(&format!("exageostat sample --n 12 {flags}")).succeeded();
        }
    }
    for form in run.json()["forms"].as_array().expect("a list") {
        let name = form["name"].as_str().expect("a name");
        assert!(run.stderr.contains(&format!("NAME:{name} (")), "{}", run.stderr);
    }
}

#[test]
fn benchmarks_give_rows() {
    let overhead =
        tegula("bench overhead --policy lws --workers 2 --repeat 1 --json - -q").succeeded().json();
    let graphs: Vec<&str> = overhead["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["graph"].as_str())
        .collect();
    assert_eq!(graphs, ["independent", "chain", "grid", "cholesky"]);
    assert!(number(&overhead, "/rows/0/seconds_per_task") > 0.0);
    assert_eq!(number(&overhead, "/rows/0/workers"), 2.0);
    let covariance =
        tegula("bench covariance --covariance matern --precision d --json - -q").succeeded().json();
    assert_eq!(number(&covariance, "/rows/1/smoothness"), 0.5);
    assert!(number(&covariance, "/rows/1/entries_per_second_per_core") > 0.0);
    assert!(number(&covariance, "/rows/1/max_relative_error") < 1e-11);
    let kernels = tegula("bench kernels --kernel dot --tile-size 32 --precision d --json - -q")
        .succeeded()
        .json();
    assert!(number(&kernels, "/rows/0/warm_gflops") > 0.0);
}

#[test]
fn a_reader_that_stops_reading_ends_nothing() {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let fit = format!("exageostat fit {} -v -o model.json", sample.display());
    let mut child = command(&folder, &fit)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut first).expect("a line");
    drop(reader);
    let output = child.wait_with_output().expect("the binary ends");
    assert!(first.starts_with("data"), "{first}");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.join("model.json").exists());
}

#[test]
#[allow(clippy::print_stderr)]
fn a_full_disk_is_a_failure_not_a_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    };
    let output = command(&root(), "info").stdout(full).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("cannot write to standard output"), "{text}");
}
