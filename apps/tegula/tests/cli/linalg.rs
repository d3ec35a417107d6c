//! `tegula linalg`: every algorithm in the list, checked.

use serde_json::Value;

use crate::support::{number, tegula};

/// Names of all algorithms.
fn names() -> Vec<String> {
    let list = tegula("linalg --list --json - --quiet").succeeded().json();
    let algorithms = list["algorithms"].as_array().expect("a list");
    let name = |algorithm: &Value| algorithm["algorithm"].as_str().expect("a name").to_owned();
    algorithms.iter().map(name).collect()
}

#[test]
fn every_algorithm_passes_its_check_at_awkward_sizes() {
    let names = names();
    assert!(names.len() >= 5, "{names:?}");
    for name in names {
        for flags in
            ["-n 1", "-n 130 --tile-size 64", "-n 130 --tile-size 33 --precision s --workers 3"]
        {
            let command =
                format!("linalg {name} {flags} --check --repeat 2 --json - --quiet --seed 9");
            let result = tegula(&command).succeeded().json();
            assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
            assert!(number(&result, "/check/value") < number(&result, "/check/threshold"));
            assert_eq!(result["algorithm"], name);
            for pointer in ["/seconds/1", "/gflops/1", "/tile_size", "/workers", "/flops", "/n"] {
                assert!(number(&result, pointer) > 0.0, "{pointer} in {result:#}");
            }
        }
    }
}

#[test]
fn sizes_differ_where_they_may() {
    for command in ["gemm -m 70 -n 30 -k 110", "trsm -m 90 -n 40", "potrs -n 80 --nrhs 45"] {
        let command = format!("linalg {command} --tile-size 32 --check --json - --quiet");
        let result = tegula(&command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
    }
    let gemm = tegula("linalg gemm -m 70 -n 30 -k 110 --json - -q").succeeded().json();
    assert_eq!(number(&gemm, "/flops"), 2.0 * 70.0 * 30.0 * 110.0);
    let potrf = tegula("linalg potrf -n 60 --json - -q").succeeded().json();
    assert_eq!(number(&potrf, "/flops"), 72_000.0 + 1800.0 + 10.0);
    assert_eq!(potrf["check"], Value::Null);
}

/// A check of many right-hand sides multiplies them by one vector first.
#[test]
fn many_right_hand_sides_are_checked_within_the_memory() {
    let command = format!(
        "linalg potrs -n 400 --nrhs 900 --memory 2MiB --scratch {} --check --json - -q",
        crate::support::folder().display()
    );
    let result = tegula(&command).succeeded().json();
    assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
    assert!(number(&result, "/bytes_to_disk") > 0.0);
}

#[test]
fn the_tasks_of_a_dry_run_are_those_of_the_run() {
    let algorithms =
        ["potrf -n 500", "potrs -n 500 --nrhs 130", "getrf-nopiv -n 500", "trsm -m 500 -n 130"];
    for algorithm in algorithms.into_iter().chain(["gemm -m 130 -n 500 -k 260"]) {
        let command = format!("linalg {algorithm} --tile-size 64 --json -");
        let dry = number(&tegula(&format!("{command} --dry-run")).succeeded().json(), "/tasks");
        let done = tegula(&command).succeeded().json();
        let workers = done["tasks"].as_array().expect("one for each worker");
        let timed: f64 = workers.iter().map(|worker| number(worker, "/tasks")).sum();
        assert_eq!(dry, timed, "{algorithm}");
    }
}

#[test]
fn what_an_algorithm_has_no_use_for_is_refused() {
    tegula("linalg potrf -n 10 -m 5").failed(2, &["potrf has no size m"]);
    tegula("linalg gemm -n 10 --nrhs 5").failed(2, &["gemm has no size nrhs"]);
    tegula("linalg potrff -n 10").failed(2, &["potrff", "potrf"]);
    tegula("linalg potrf").failed(2, &["--n"]);
    tegula("linalg potrf -n 9000000").failed(2, &["this process may use"]);
}

#[test]
fn people_read_rates_and_formulas() {
    let run = tegula("linalg potrf -n 200 --repeat 2 --check").succeeded();
    for word in ["A = L L'", "Gflop/s", "check passed", "tiles of"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
    let list = tegula("linalg --list").succeeded();
    names().iter().for_each(|name| assert!(list.stdout.contains(name.as_str()), "{name}"));
}
