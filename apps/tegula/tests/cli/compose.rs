//! `tegula compose`: programs side by side, simulated and for real.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, assert_close, folder_with, number, root, tegula_in};

/// What a simulated composition comes to.
fn simulated(text: &str, flags: &str) -> Value {
    compose(text, &format!("--platform mirage-d {flags}")).succeeded().json()
}

fn compose(text: &str, flags: &str) -> Run {
    let folder = folder_with("c.toml", text);
    tegula_in(&folder, &format!("compose c.toml {flags} --json - --quiet"))
}

/// Three factorisations, each in a context of a device and three cores.
fn three() -> String {
    (0..3)
        .map(|number| {
            format!(
                "[[kernel]]\nname = \"k{number}\"\nalgorithm = \"potrf\"\nn = 9600\n\
                 tile_size = 960\nworkers = {{ cpu = 3, cuda = 1 }}\n"
            )
        })
        .collect()
}

fn large_and_small(large: &str, small: &str) -> String {
    format!(
        "[[kernel]]\nname = \"large\"\nalgorithm = \"potrf\"\nn = 19200\ntile_size = 960\n{large}\n\
         [[kernel]]\nname = \"small\"\nalgorithm = \"potrf\"\nn = 9600\ntile_size = 192\n{small}\n"
    )
}

/// What contexts are for: data stays where it is (Hugo 2014, section 2.9.4).
#[test]
fn contexts_move_at_most_half_of_the_bytes() {
    let contexts = simulated(&three(), "--policy dmda");
    let mixed = simulated(&three(), "--policy dmda --contexts none");
    let (own, all) = (number(&contexts, "/bytes_moved"), number(&mixed, "/bytes_moved"));
    assert!(own <= 0.5 * all, "{own} of {all}");
    let hits = |run: &Value| number(run, "/hits/total");
    assert!(hits(&contexts) > hits(&mixed) + 0.1, "{} and {}", hits(&contexts), hits(&mixed));
    let serial = simulated(&three(), "--policy dmda --contexts serial");
    assert!(number(&contexts, "/seconds") < number(&serial, "/seconds"));
    // One after the other is what each takes alone.
    let alone = number(&serial, "/kernels/0/seconds");
    assert_close(number(&serial, "/seconds"), 3.0 * alone, 0.1);
    assert_close(number(&serial, "/kernels/1/start"), alone, 1e-12);
}

/// The best of all splits is found, and from a wrong one the way to it (sections 3.7.4.1 to .3).
#[test]
fn workers_go_where_they_end_all_soonest() {
    let mut best = f64::INFINITY;
    for devices in 1..=3 {
        for cores in 0..9 {
            let large = format!("workers = {{ cuda = {devices}, cpu = {cores} }}");
            let small = format!("workers = {{ cuda = {}, cpu = {} }}", 3 - devices, 9 - cores);
            let run = simulated(&large_and_small(&large, &small), "");
            best = f64::min(best, number(&run, "/seconds"));
        }
    }
    for policy in ["feft", "teft"] {
        let run = simulated(&large_and_small("", ""), &format!("--contexts {policy}"));
        let seconds = number(&run, "/seconds");
        assert!(seconds <= 1.02 * best, "{policy}: {seconds} for {best}");
    }
    let wrong = large_and_small("workers = { cuda = 3, cpu = 7 }", "workers = { cpu = 2 }");
    let still = number(&simulated(&wrong, ""), "/seconds");
    let moved = simulated(&wrong, "--hypervisor feft --window 100ms");
    let seconds = number(&moved, "/seconds");
    assert!(seconds <= 1.1 * best && seconds < 0.9 * still, "{seconds} of {still} for {best}");
    let resizes = moved["resizes"].as_array().expect("a list");
    assert!(resizes.iter().any(|resize| resize["policy"] == "feft"), "{resizes:?}");
}

#[test]
fn workers_move_when_a_kernel_begins_and_ends() {
    let text = "\
        [[kernel]]\nname = \"long\"\nalgorithm = \"potrf\"\nn = 19200\ntile_size = 960\n\
        workers = { cuda = 3, cpu = 9 }\n\
        [[kernel]]\nname = \"short\"\nalgorithm = \"potrf\"\nn = 3840\ntile_size = 192\n\
        repeat = 2\nstart = \"0.5s\"\nevery = \"1s\"\n\
        [[move]]\nwhen = \"short:start\"\nfrom = \"long\"\nto = \"short\"\ncpu = 4\n\
        [[move]]\nwhen = \"short:end\"\nfrom = \"short\"\nto = \"long\"\ncpu = 4\n";
    let run = simulated(text, "");
    assert_eq!(number(&run, "/kernels/1/start"), 0.5);
    assert_eq!(number(&run, "/kernels/2/start"), 1.5);
    let counts = run["workers_over_time"].as_array().expect("a list");
    let of = |context: &str| -> Vec<u64> {
        counts.iter().map(|at| at["workers"][context].as_u64().expect("a number")).collect()
    };
    assert_eq!(of("short")[..5], [0, 4, 0, 4, 0]);
    assert_eq!(of("long")[..5], [12, 8, 12, 8, 12]);
    // Four cores of 10.8 Gflop/s at most.
    assert!(number(&run, "/kernels/1/gflops") < 43.2);
}

#[test]
fn real_commands_share_workers_and_end_as_alone() {
    let sample = root().join("data/samples/a_synth1600.csv");
    let fit =
        format!("exageostat fit {} --covariance exponential --deterministic -q", sample.display());
    let kernel = |number: usize, more: &str| {
        format!(
            "[[kernel]]\nname = \"f{number}\"\ncommand = \"{fit} --json f{number}.json\"\n{more}\n"
        )
    };
    let text = kernel(0, "workers = { cpu = 1 }")
        + &kernel(1, "workers = { cpu = 1 }")
        + &kernel(2, "context = \"f0\"");
    let folder = folder_with("c.toml", &text);
    let alone = tegula_in(&folder, &format!("{fit} --workers 2 --json alone.json"));
    alone.succeeded();
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.join(name)).expect(name);
        serde_json::from_str(&text).expect("it is JSON")
    };
    let expected = read("alone.json");
    for contexts in ["split", "none", "serial"] {
        let flags = format!("compose c.toml --workers 2 --contexts {contexts} --json - -q");
        let run = tegula_in(&folder, &format!("{flags} --trace run.trace")).succeeded().json();
        let trace = tegula_in(&folder, "trace run.trace --json - -q").succeeded().json();
        let tasks = run["contexts"].as_array().expect("a list").iter();
        let tasks: f64 = tasks.map(|context| number(context, "/tasks")).sum();
        assert_eq!(number(&trace, "/tasks"), tasks, "all are in the trace under {contexts}");
        assert!(tasks > 1000.0, "{tasks}");
        let table = tegula_in(&folder, "trace run.trace --table tasks -q").succeeded().stdout;
        let names = table.lines().skip(1).map(|line| line.split(',').nth(5).expect("a number"));
        assert_eq!(names.collect::<HashSet<_>>().len(), tasks as usize, "{contexts}");
        // The path leads back through what each program waited for: in series, to the first.
        let [start, path, late] = ["start_seconds", "seconds", "late_seconds"]
            .map(|part| number(&trace, &format!("/critical_path_{part}")));
        let end = number(&trace, "/makespan_seconds");
        assert!((start + path + late - end).abs() < 1e-6 && path > 0.0, "{trace}");
        let ends = run["kernels"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|kernel| number(kernel, "/start") + number(kernel, "/seconds"));
        let first = ends.fold(f64::INFINITY, f64::min);
        assert!(start < first, "{contexts}: the path begins at {start}, after {first}");
        assert_eq!(run["kernels"].as_array().map(Vec::len), Some(3));
        for number in 0..3 {
            let own = read(&format!("f{number}.json"));
            for key in ["loglik", "params", "evaluations"] {
                assert_eq!(own[key], expected[key], "{key} of {number} under {contexts}");
            }
        }
    }
}

#[test]
fn a_command_that_fails_leaves_the_others_alone() {
    let folder = folder_with(
        "c.toml",
        "[[kernel]]\nname = \"bad\"\ncommand = \"exageostat loglik nowhere.csv --params 1,1,1\"\n\
         [[kernel]]\nname = \"good\"\ncommand = \"linalg potrf -n 300 --check --json good.json -q\"\n",
    );
    let run = tegula_in(&folder, "compose c.toml --contexts none --workers 2 --json r.json -q");
    run.failed(2, &["kernel bad failed", "nowhere.csv"]);
    assert!(folder.join("good.json").exists(), "the other one has run");
    let text = std::fs::read_to_string(folder.join("r.json")).expect("a result");
    let result: Value = serde_json::from_str(&text).expect("it is JSON");
    assert!(result["kernels"][0]["failure"].as_str().is_some_and(|why| why.contains("nowhere")));
    assert!(result["kernels"][1]["failure"].is_null());
}

#[test]
fn what_is_wrong_with_a_composition_is_told_with_its_line() {
    let kernel = "[[kernel]]\nname = \"a\"\nalgorithm = \"potrf\"\nn = 960\ntile_size = 96\n";
    for (text, words) in [
        ("", "line 1: there is no [[kernel]]"),
        ("[[kernel]]\nname = \"a\"\n", "line 1: kernel a: give either algorithm or command"),
        ("[[kernel]]\nnam = \"a\"\n", "line 2: unknown field `nam`"),
        ("[[kernel]]\nname = \"a\"\nalgorithm = \"potrff\"\nn = 9\ntile_size = 3\n", "but potrf"),
        (&kernel.replace("96\n", "0\n"), "tile_size 0 is not from 1"),
        (&format!("{kernel}workers = {{ gpu = 1 }}\n"), "no workers gpu; there are cpu, cuda"),
        (&format!("{kernel}workers = {{ cpu = 10 }}\n"), "more than there are"),
        (&format!("{kernel}after = [\"b\"]\n"), "there is no kernel b before it"),
        (&format!("{kernel}start = \"soon\"\n"), "soon is no time such as 1s"),
        (&format!("{kernel}policy = \"dmdax\"\n"), "there is no policy dmdax"),
        (&format!("{kernel}min = {{ cpu = 3 }}\nmax = {{ cpu = 2 }}\n"), "min is above max of cpu"),
        (&format!("{kernel}{kernel}"), "line 6: there are two kernels a"),
        (
            &format!(
                "{kernel}workers = {{ cpu = 1 }}\n[[move]]\nwhen = \"a\"\nfrom = \"a\"\nto = \"a\"\n"
            ),
            "line 7: move: when is KERNEL:start or KERNEL:end",
        ),
        ("[[kernel]]\nname = \"a\"\ncommand = \"info\"\n", "is a command, which is not simulated"),
    ] {
        compose(text, "--platform mirage-d").failed(2, &[words]);
    }
    let real = |text: &str, flags: &str, words: &str| compose(text, flags).failed(2, &[words]);
    real(
        "[[kernel]]\nname = \"a\"\ncommand = \"frobnicate\"\n",
        "",
        "kernel a: unrecognized subcommand",
    );
    real(
        "[[kernel]]\nname = \"a\"\ncommand = \"compose x\"\n",
        "",
        "a composition in a composition",
    );
    let own = "[[kernel]]\nname = \"a\"\ncommand = \"linalg potrf -n 100 --workers 1\"\n";
    real(own, "--contexts none", "workers, devices, memory and ranks are those of compose");
    real("[[kernel]]\nname = \"a\"\ncommand = \"info \\\"x\"\n", "", "a quote in it is open");
    compose(kernel, "--platform mirage-d --workers 2").failed(2, &["--platform describes"]);
    compose(kernel, "--platform mirage-d --contexts none --hypervisor feft")
        .failed(2, &["has one"]);
    tegula_in(Path::new("."), "compose nowhere.toml").failed(2, &["cannot read nowhere.toml"]);
}
