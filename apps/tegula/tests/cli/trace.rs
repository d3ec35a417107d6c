//! `tegula trace`: what a run recorded is read again, summed up, and written in every form.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{folder, folder_with, number, root, tegula_in};

/// A folder with `run.trace`, recorded by a run.
fn recorded() -> PathBuf {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let flags = "--covariance matern --params 1,0.1,0.5 --tile-size 40 --trace run.trace";
    tegula_in(&folder, &format!("exageostat loglik {} {flags}", sample.display())).succeeded();
    folder
}

/// A trace of two tasks on two classes with a transfer and samples, made by hand.
const SMALL: &str = "tegula-trace,1
section,workers,2
name,class
CPU 0,cpu
GPU 0,cuda-0
section,memories,2
name,capacity_bytes
RAM,
GPU 0,4000
section,phases,1
name
none
section,codelets,2
name
potrf
gemm
section,tasks,3
task,codelet,phase,worker,priority,iteration,after,start_ns,end_ns,outcome
0,0,0,0,5,0,0,0,1000000,done
1,1,0,1,4,0,1,1500000,2500000,done
2,1,0,0,3,1,1,1000000,2000000,done
section,transfers,1
handle,bytes,src,dst,purpose,start_ns,end_ns
3,2048,0,1,prefetch,1000000,1500000
section,samples,3
gauge,memory,time_ns,value
ready,,0,1
memory,1,1500000,2048
ready,,1500000,0
end
";

fn text_of(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_run_is_summed_up() {
    let run = tegula_in(&recorded(), "trace run.trace").succeeded();
    for word in ["makespan", "idle", "balanced", "potrf", "in the first 95 %", "mean on cpu"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
}

/// What was run stands in the file, and in all that is made of it.
#[test]
fn a_trace_says_what_was_run() {
    let folder = recorded();
    let run = tegula_in(&folder, "trace run.trace --json -").succeeded().json();
    let command = run["run"]["command"].as_str().expect("a command");
    assert!(command.starts_with("exageostat loglik ") && command.ends_with("run.trace"));
    for (key, value) in [("policy", "lws"), ("tile_size", "40"), ("seed", "0"), ("n", "140")] {
        assert_eq!(run["run"][key], value, "{key} in {run:#}");
    }
    let flags = "--tiles 5 --precision s --device-memory 40MiB --policy darts --trace sim.trace";
    let simulated = format!("simulate cholesky --platform mirage {flags} --json -");
    let simulated = tegula_in(&folder, &simulated).succeeded().json();
    let text = tegula_in(&folder, "trace sim.trace").succeeded().stdout;
    let shown = ["program cholesky, platform mirage", "eviction luf, seed 0", "area bound"];
    for word in shown {
        assert!(text.contains(word), "{word} in {text}");
    }
    let summary = tegula_in(&folder, "trace sim.trace --json -").succeeded().json();
    let bound = summary["run"]["cpb_seconds"].as_str().and_then(|text| text.parse().ok());
    assert_eq!(bound, Some(number(&simulated, "/cpb_seconds")));
    assert!(number(&summary, "/critical_path_seconds") >= number(&simulated, "/cpb_seconds"));
    tegula_in(&folder, "trace sim.trace -o report.html").succeeded();
    assert!(text_of(&folder, "report.html").contains("platform mirage; tiles 5;"));
}

#[test]
fn numbers_of_a_trace_made_by_hand_are_right() {
    let folder = folder_with("small.trace", SMALL);
    let run = tegula_in(&folder, "trace small.trace --json -").succeeded();
    let summary = run.json();
    for (pointer, expected) in [
        ("/tasks", 3.0),
        ("/makespan_seconds", 0.0025),
        ("/idle_share", 0.4),
        ("/critical_path_seconds", 0.002),
        ("/critical_path_late_seconds", 0.0005),
        ("/critical_path_start_seconds", 0.0),
        // One millisecond of potrf on the CPU, two of gemm anywhere.
        ("/balanced_work_seconds", 0.0015),
        ("/classes/0/utilisation", 0.8),
        ("/codelets/0/mean_seconds/cuda-0", 0.001),
        ("/transfers/0/bytes", 2048.0),
    ] {
        let found = number(&summary, pointer);
        assert!((found - expected).abs() <= 1e-6 * expected, "{pointer}: {found}");
    }
    let words = tegula_in(&folder, "trace small.trace").succeeded().stdout;
    for word in ["critical path of this run", "lateness", "RAM", "prefetch", "2.00 KiB", "cuda-0"] {
        assert!(words.contains(word), "{word} in {words}");
    }
}

#[test]
fn tables_go_to_standard_output_or_to_a_file() {
    let folder = folder_with("small.trace", SMALL);
    let table =
        |name: &str| tegula_in(&folder, &format!("trace small.trace --table {name}")).succeeded();
    let path = "JobId,Node,ResourceId,Value,Start,End,Duration,Lateness\n\
                0_0,0,0_CPU0,potrf,0.000000,1.000000,1.000000,\n\
                0_1,0,0_GPU0,gemm,1.500000,2.500000,1.000000,0.500000\n";
    assert_eq!(table("critical-path").stdout, path);
    assert!(table("tasks").stdout.starts_with("ResourceId,Start,End,Duration,Value,JobId,Iter"));
    assert!(table("transfers").stdout.contains("Intra-node TaskPreFetch,1.000000,1.500000"));
    let messages = table("messages");
    assert_eq!(messages.stdout.lines().count(), 1, "{}", messages.stdout);
    assert!(messages.stderr.contains("of one rank"), "{}", messages.stderr);
    assert!(table("pairs").stdout.starts_with("Origin,Dest,Messages,Bytes,"));
    let named = |file: &str| {
        let flags = format!("trace small.trace --table critical-path -o {file}");
        tegula_in(&folder, &flags).succeeded().stderr
    };
    assert!(!named("path.csv").contains("warning"));
    assert!(named("path.html").contains("path.html is a table"));
    assert_eq!(text_of(&folder, "path.csv"), path);
}

#[test]
fn every_form_is_written() {
    let folder = recorded();
    for (flags, start) in [
        ("-o out.html", "<!DOCTYPE html>"),
        ("-o out.trace", "tegula-trace,5"),
        ("-o out.svg", "<svg"),
        ("-o out.json", "{\"displayTimeUnit\""),
        ("-o out.csv", "task,"),
        ("--export perfetto -o out.txt", "{\"displayTimeUnit\""),
        ("--export paje -o out.paje", "%EventDef PajeDefineContainerType"),
        ("--panel utilisation -o panel.svg", "<svg"),
        ("--panel ready -o out.other", "<svg"),
        ("--panel order -o order.svg", "<svg"),
    ] {
        tegula_in(&folder, &format!("trace run.trace {flags}")).succeeded();
        let name = flags.rsplit(' ').next().expect("a file");
        assert!(text_of(&folder, name).starts_with(start), "{flags}");
    }
    assert_eq!(text_of(&folder, "out.trace"), text_of(&folder, "run.trace"), "nothing is lost");
    assert!(text_of(&folder, "out.html").contains("<h1>run</h1>"));
}

/// Of a run and of simulations: tasks with the step, and the tile, that they are for.
#[test]
fn tasks_say_on_which_tile_they_work() {
    let steps = |k: usize| (k..3).flat_map(move |j| (j..3).map(move |i| (k, i, j)));
    let of_potrf: Vec<_> = (0..3).flat_map(steps).collect();
    let square = |k: usize| (0..3).flat_map(move |j| (0..3).map(move |i| (k, i, j)));
    for (run, expected) in [
        ("linalg potrf -n 300 --tile-size 100", of_potrf.clone()),
        ("simulate cholesky --platform mirage --tiles 3", of_potrf.clone()),
        ("simulate cholesky-set --platform mirage --tiles 3", of_potrf),
        ("simulate gemm-2d --platform mirage --tiles 3", square(0).collect()),
        ("simulate gemm-3d --platform mirage --tiles 3", (0..3).flat_map(square).collect()),
    ] {
        let folder = folder();
        tegula_in(&folder, &format!("{run} --trace tasks.csv")).succeeded();
        let text = text_of(&folder, "tasks.csv");
        let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = rows.next().expect("names of columns");
        let place = |name| head.iter().position(|&other| other == name).expect(name);
        let places = ["iteration", "row", "column"].map(place);
        let number = |row: &[&str], at: usize| row[at].parse::<usize>().expect(row[at]);
        let mut found: Vec<_> = rows
            .map(|row| (number(&row, places[0]), number(&row, places[1]), number(&row, places[2])))
            .collect();
        found.sort_unstable();
        found.dedup();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(found, expected, "{run}");
    }
}

/// Runs stand side by side, each number in its column, each figure once for each run.
#[test]
fn several_traces_are_compared() {
    let folder = folder_with("small.trace", SMALL);
    let other = SMALL.replace("1500000,2500000,done", "1500000,3500000,done");
    fs::write(folder.join("other.trace"), other).expect("a file can be written");
    tegula_in(&folder, "trace small.trace other.trace -o compare.html").succeeded();
    let page = text_of(&folder, "compare.html");
    let row = "<td>makespan</td><td class=\"n\">2.500 ms</td><td class=\"n\">3.500 ms</td>";
    for word in
        ["<h1>small, other</h1>", row, "class=\"tegula-gantt-0\"", "class=\"tegula-gantt-1\""]
    {
        assert!(page.contains(word), "{word}");
    }
    let summaries = tegula_in(&folder, "trace other.trace small.trace --json -").succeeded().json();
    let makespans = ["/0/makespan_seconds", "/1/makespan_seconds"];
    let microseconds = makespans.map(|pointer| (1e6 * number(&summaries, pointer)).round());
    assert_eq!(microseconds, [3500.0, 2500.0]);
    for flags in ["", "-o out.svg", "--panel gantt", "--table tasks -o page.html"] {
        let run = tegula_in(&folder, &format!("trace small.trace other.trace {flags}"));
        run.failed(2, &["several traces", "-o FILE.html"]);
    }
    let help = tegula_in(&folder, "trace --help").succeeded().stdout;
    assert!(help.contains("compare"), "{help}");
}

#[test]
fn what_is_no_whole_trace_is_refused_at_its_line() {
    let folder = folder_with("small.trace", SMALL);
    let refused = |name: &str, content: &str, words: &[&str]| {
        fs::write(folder.join(name), content).expect("a file can be written");
        tegula_in(&folder, &format!("trace {name}")).failed(2, words);
    };
    refused("cut.trace", &SMALL[..SMALL.len() - 30], &["cut.trace, line ", "cut off"]);
    refused("foreign.csv", "x,y,z\n1,2,3\n", &["foreign.csv, line 1", "no trace"]);
    refused("empty.trace", "", &["line 1", "no trace"]);
    refused("newer.trace", &SMALL.replacen(",1\n", ",9\n", 1), &["version 9"]);
    refused("worker.trace", &SMALL.replace("1,1,0,1,4", "1,1,0,7,4"), &["line 20", "worker 7"]);
    tegula_in(&folder, "trace nowhere.trace").failed(2, &["cannot read nowhere.trace"]);
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let folder = folder_with("small.trace", SMALL);
    let run = |flags: &str| tegula_in(&folder, &format!("trace small.trace {flags}"));
    run("-o out.txt").failed(2, &["-o out.txt", ".html (report)", ".svg"]);
    run("-o small.trace").failed(2, &["overwrite small.trace"]);
    run("--table bytes").failed(2, &["bytes", "critical-path"]);
    run("--table tasks --export paje").failed(2, &["--export"]);
    run("--table tasks --json -").failed(2, &["standard output"]);
    run("--panel grant").failed(2, &["grant", "gantt"]);
}

/// What ranks that are threads have recorded is one trace, with every message that they sent.
#[test]
fn ranks_leave_one_trace() {
    let folder = folder();
    let flags = "--workers 2 --tile-size 50 --check --json - --trace run.trace";
    let run = format!("linalg potrf -n 500 --ranks local:2 {flags}");
    let result = tegula_in(&folder, &run).succeeded().json();
    let summary = tegula_in(&folder, "trace run.trace --json -").succeeded().json();
    assert_eq!(summary["messages"], result["messages"]);
    assert_eq!(summary["bytes_sent"], result["bytes_sent"]);
    // potrf, trsm, syrk and gemm of ten tiles.
    assert_eq!((&summary["tasks"], &summary["workers"]), (&220.into(), &4.into()));
    assert_eq!((&summary["ranks"], &summary["run"]["ranks"]), (&2.into(), &"2".into()));
    assert_eq!(number(&summary, "/clock_uncertainty_seconds"), 0.0);
    assert_eq!(number(&summary, "/messages_early_seconds"), 0.0);
    let share = number(&summary, "/overlap/share");
    assert!((0.0..=1.0).contains(&share), "{share}");
    let pairs = summary["pairs"].as_array().expect("pairs");
    let sum = |key: &str| pairs.iter().map(|pair| pair[key].as_u64().expect(key)).sum::<u64>();
    assert_eq!((pairs.len(), sum("bytes")), (2, result["bytes_sent"].as_u64().expect("bytes")));
    let words = tegula_in(&folder, "trace run.trace").succeeded().stdout;
    for word in ["4 workers of 2 ranks", "between ranks", "overlap", "one for all ranks", "rank 1"]
    {
        assert!(words.contains(word), "{word} in {words}");
    }
    let table = tegula_in(&folder, "trace run.trace --table messages").succeeded().stdout;
    assert_eq!(table.lines().count() as u64, 1 + result["messages"].as_u64().expect("messages"));
    let table = tegula_in(&folder, "trace run.trace --table pairs").succeeded().stdout;
    assert_eq!(table.lines().count(), 3);
    tegula_in(&folder, "trace run.trace -o out.trace").succeeded();
    assert_eq!(text_of(&folder, "out.trace"), text_of(&folder, "run.trace"), "nothing is lost");
    for (flags, words) in [
        ("-o out.svg", &["rank 1 worker 1", "rank 1 messages"][..]),
        ("-o out.html", &["<h2>Messages</h2>", "messages overlapped"]),
        ("--export perfetto -o out.json", &["\"rank 1\"", "\"ph\":\"s\""]),
        ("--export paje -o out.paje", &[" L p \"datum "]),
    ] {
        tegula_in(&folder, &format!("trace run.trace {flags}")).succeeded();
        let text = text_of(&folder, flags.rsplit(' ').next().expect("a file"));
        words.iter().for_each(|word| assert!(text.contains(word), "{word}: {flags}"));
    }
}

/// Every program over ranks leaves one trace, also one that is repeated.
#[test]
fn programs_over_ranks_leave_one_trace() {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let loglik = format!(
        "exageostat loglik {} --covariance matern --params 1,0.1,0.5 --repeat 3",
        sample.display()
    );
    let fields = "exageostat sample --n 100 --covariance matern --params 1,0.1,0.5 -o field.csv";
    for (name, run) in [("loglik", loglik.as_str()), ("sample", fields)] {
        for more in ["", "--policy dmdas"] {
            let flags =
                format!("--ranks local:3 --workers 1 --tile-size 40 {more} --trace {name}.trace");
            tegula_in(&folder, &format!("{run} {flags}")).succeeded();
            let run = tegula_in(&folder, &format!("trace {name}.trace --json -")).succeeded();
            let summary = run.json();
            assert_eq!((&summary["ranks"], &summary["workers"]), (&3.into(), &3.into()), "{name}");
            assert!(number(&summary, "/messages") > 0.0, "{name} {more}");
        }
    }
}
