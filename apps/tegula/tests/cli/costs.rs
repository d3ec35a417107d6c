//! `tegula simulate` with costs beside tasks, on nodes that are slower than planned, and with
//! distributions that change between evaluations.

use std::fs;

use serde_json::{Value, json};

use crate::support::{assert_close, folder, number, tegula, tegula_in};

/// The JSON of a Cholesky factorisation of six tiles along an edge.
fn cholesky(flags: &str) -> Value {
    let command = format!("simulate cholesky --tiles 6 {flags} --json - --quiet");
    tegula(&command).succeeded().json()
}

fn seconds(flags: &str) -> f64 {
    number(&cholesky(flags), "/makespan_seconds")
}

/// On one core each task waits for its decision, and the first for its submission.
#[test]
fn costs_add_to_the_time_of_one_core() {
    let core = "--platform chetemi --cores 1 --policy prio";
    let free = cholesky(core);
    assert_eq!(free["deciding"], Value::Null);
    let (alone, tasks) = (number(&free, "/makespan_seconds"), number(&free, "/simulated_tasks"));
    assert_close(seconds(&format!("{core} --submission 1ms")), alone + 1e-3, 1e-9);
    let folder = folder();
    let table = json!({ "deciding": [{ "ready": 1, "tasks": 5, "seconds": 0.002 }] });
    fs::write(folder.join("times.json"), table.to_string()).unwrap();
    let known = format!("simulate cholesky --tiles 6 {core} --deciding times.json");
    let ran = tegula_in(&folder, &format!("{known} --json - --quiet")).succeeded().json();
    assert_close(number(&ran, "/makespan_seconds"), alone + 2e-3 * tasks, 1e-9);
    assert_eq!(ran["deciding"], table["deciding"]);
    tegula_in(&folder, &known).says(&["costs", "decisions as in times.json", "2.00 ms at 1"]);
    // What is written is read, and the same again.
    let measured = format!("simulate cholesky --tiles 20 {core} --measure-deciding --json m.json");
    tegula_in(&folder, &measured).says(&["decisions as measured here", "for a task"]);
    let again =
        "simulate cholesky --tiles 6 --platform 2chetemi --deciding m.json --json - --quiet";
    let [first, second] = [0, 1].map(|_| tegula_in(&folder, again).succeeded().json());
    assert_eq!(first["makespan_seconds"], second["makespan_seconds"]);
    assert!(number(&first, "/makespan_seconds") > seconds("--platform 2chetemi"));
}

/// Tiles that are generated lie in memory that is new, once.
#[test]
fn new_memory_is_paid_for_once() {
    let of = |evaluations: usize, more: &str| {
        let flags = format!("--platform chetemi --cores 1 --tiles 4 --evaluations {evaluations}");
        let run = tegula(&format!("simulate fit {flags} {more} --json - --quiet"));
        number(&run.succeeded().json(), "/makespan_seconds")
    };
    // Ten tiles of 960 x 960 in double precision, what tasks work in, and vectors.
    let (bytes, rate) = (10.0 * 960.0 * 960.0 * 8.0, 1e9);
    let [once, thrice] = [1, 3].map(|n| of(n, "--allocation 1GB/s") - of(n, ""));
    assert!((bytes / rate..1.5 * bytes / rate).contains(&once), "{once} s");
    assert_close(once, thrice, 1e-6);
}

#[test]
fn costs_that_cannot_be_read_are_refused() {
    let folder = folder();
    for (text, why) in [
        ("", "no JSON"),
        ("{}", "has no 'deciding'"),
        ("{\"deciding\": null}", "has no 'deciding'"),
        ("{\"deciding\": []}", "has no rows"),
        ("{\"deciding\": [{\"ready\": 1}]}", "row 1"),
        ("{\"deciding\": [{\"ready\": 1, \"tasks\": 1, \"seconds\": -1}]}", "row 1"),
    ] {
        fs::write(folder.join("times.json"), text).unwrap();
        let command = "simulate lu --platform chetemi --tiles 3 --deciding times.json";
        let words = ["--deciding times.json", why, "--measure-deciding"];
        tegula_in(&folder, command).failed(2, &words);
    }
    for (flags, word) in [
        ("--deciding nowhere.json", "nowhere.json"),
        ("--deciding a --measure-deciding", "--measure-deciding"),
        ("--submission fast", "fast"),
        ("--allocation 0", "'0' is no rate"),
    ] {
        tegula(&format!("simulate lu --platform chetemi --tiles 3 {flags}")).failed(2, &[word]);
    }
}

/// The progression of a trace names the node that is slow, its link or its disk.
#[test]
fn slow_nodes_are_found_in_the_progression() {
    let folder = folder();
    let lag = |program: &str, flags: &str| -> (Value, f64) {
        let run = format!("simulate {program} --platform 6chetemi {flags} --trace run.trace");
        let ran = tegula_in(&folder, &format!("{run} --json - --quiet")).succeeded().json();
        let trace = tegula_in(&folder, "trace run.trace --json - --quiet").succeeded().json();
        let behind = trace["progression"][4]["groups"][0]["ranks"].clone();
        (behind, number(&ran, "/makespan_seconds"))
    };
    let lu = "--tiles 40 --distribution block-cyclic";
    let (_, even) = lag("lu", lu);
    let (behind, slow) = lag("lu", &format!("{lu} --slow 2=0.5"));
    assert_eq!(behind, json!([2]));
    assert!(slow > 1.5 * even, "{slow} s, {even} s");
    tegula_in(&folder, "trace run.trace").says(&["progress", "own work: rank 2: "]);
    let (_, slow) = lag("lu", &format!("{lu} --slow-link 0-5=0.25"));
    assert!(slow > 1.2 * even, "{slow} s, {even} s");
    let mds = "--tiles 30 --distribution block-cyclic";
    let (_, even) = lag("mds", mds);
    let (behind, slow) = lag("mds", &format!("{mds} --slow-disk 4=0.25"));
    assert_eq!(behind, json!([4]));
    assert!(slow > 1.5 * even, "{slow} s, {even} s");
    for (flags, words) in [
        ("lu --slow 6=0.5", &["--slow 6=0.5", "6 ranks"][..]),
        ("lu --slow 1", &["'1' names no ranks"]),
        ("lu --slow 1=2", &["at most 1"]),
        ("lu --slow-disk 1=0.5", &["--slow-disk", "reads nothing"]),
    ] {
        let command = format!("simulate {flags} --platform 6chetemi --tiles 4");
        tegula(&command).failed(2, words);
    }
    tegula("simulate lu --platform chetemi --tiles 4 --slow 0=0.5")
        .failed(2, &["--slow", "one node"]);
}

/// Evaluations of a fit that have distributions of their own take about what they take alone, and
/// the last one of those given goes on.
#[test]
fn owners_change_between_evaluations() {
    let platform = "--platform 2chifflot+2chetemi --tiles 16";
    let run = |program: &str, flags: &str| {
        let command = format!("simulate {program} {platform} {flags} --json - --quiet");
        tegula(&command).succeeded().json()
    };
    let names = ["lp@0-3/0-1", "1d1d"];
    let given = names.map(|name| format!("--distribution {name}")).join(" ");
    let fit = run("fit", &format!("--evaluations 3 {given}"));
    let times = fit["evaluations"].as_array().expect("a list");
    let named: Vec<&str> = times.iter().filter_map(|time| time["distribution"].as_str()).collect();
    assert_eq!(named, [names[0], names[1], names[1]]);
    let all: f64 = times.iter().map(|time| number(time, "/seconds")).sum();
    assert_close(all, number(&fit, "/makespan_seconds"), 1e-9);
    for time in times {
        let name = time["distribution"].as_str().expect("a name");
        let alone = number(&run("loglik", &format!("--distribution {name}")), "/makespan_seconds");
        let ratio = number(time, "/seconds") / alone;
        assert!((0.9..1.1).contains(&ratio), "{name}: {ratio}");
    }
    let command = format!("simulate fit {platform} --evaluations 2 {given}");
    tegula(&command).says(&["evaluations", " lp@0-3/0-1, ", " 1d1d"]);
    let two = format!("simulate loglik {platform} {given}");
    tegula(&two).failed(2, &["--distribution 1d1d", "evaluations of a fit"]);
}
