//! `tegula simulate`: makespans that are known, and those of StarPU on SimGrid.

use serde_json::{Value, json};

use crate::support::{Run, assert_close, column, folder, folder_with, number, tegula, tegula_in};

/// Milliseconds that a Cholesky factorisation of so many tiles of order 960 takes on mirage.
fn cholesky(tiles: usize, flags: &str) -> f64 {
    let command = format!(
        "simulate cholesky --platform mirage --tiles {tiles} --precision s {flags} --json - --quiet"
    );
    1e3 * number(&tegula(&command).succeeded().json(), "/makespan_seconds")
}

/// On one worker the makespan is the sum of the tasks' times, as in SimGrid.
#[test]
fn one_core_takes_the_sum_of_all_tasks() {
    for policy in ["eager", "prio", "lws", "dmdas", "darts", "mhfp", "tessera"] {
        let flags = format!("--cores 1 --devices 0 --policy {policy}");
        // 20 potrf, 190 trsm, 190 syrk, 1140 gemm, in microseconds.
        let sum = 20.0 * 18849.690 + 190.0 * (45646.760 + 43890.100) + 1140.0 * 87780.200;
        assert_close(cholesky(20, &flags), 1e-3 * sum, 1e-9);
    }
}

/// A core that always computes takes its own power on top of that of the idle node.
#[test]
fn energy_is_power_by_time() {
    let run = |program: &str| {
        let command =
            format!("simulate {program} --platform chetemi --cores 1 --tiles 3 --json - --quiet");
        let json = tegula(&command).succeeded().json();
        ["/energy_joules", "/makespan_seconds"].map(|name| number(&json, name))
    };
    let [joules, seconds] = run("cholesky");
    assert_close(joules, (96.7 + 5.67) * seconds, 1e-9);
    // Its generation takes less.
    let [joules, seconds] = run("loglik");
    assert!(((96.7 + 4.53) * seconds..(96.7 + 5.67) * seconds).contains(&joules), "{joules}");
    let silent = tegula("simulate cholesky --platform mirage --tiles 3 --json - --quiet");
    assert_eq!(silent.succeeded().json()["energy_joules"], Value::Null);
    let nodes = "simulate cholesky --platform 2chetemi --tiles 6 --json - --quiet";
    let json = tegula(nodes).succeeded().json();
    let of = |rank: usize| number(&json, &format!("/nodes/{rank}/energy_joules"));
    assert_close(of(0) + of(1), number(&json, "/energy_joules"), 1e-12);
    assert!(of(0) > 96.7 * number(&json, "/makespan_seconds"));
}

/// Cores, tiles, and StarPU's makespan in milliseconds under `prio` without costs of the runtime
/// but one microsecond a task; ties are broken differently.
const LISTS: &[(usize, usize, f64)] = &[
    (4, 3, 260.6692),
    (4, 5, 632.4023),
    (4, 10, 3873.7607),
    (4, 20, 29562.0394),
    (12, 3, 260.6692),
    (12, 5, 527.5271),
    (12, 10, 1631.8223),
    (12, 20, 10203.6343),
];

#[test]
fn priority_lists_on_cores_end_as_in_simgrid() {
    for &(cores, tiles, expected) in LISTS {
        let flags = format!("--cores {cores} --devices 0 --policy prio");
        assert_close(cholesky(tiles, &flags), expected, 5e-3);
    }
}

/// One accelerator and no core: the transfers of the first and the last tile are not hidden.
#[test]
fn one_accelerator_adds_what_transfers_cannot_hide() {
    for (tiles, expected) in [(1, 5.9950), (2, 21.3455), (3, 44.0235), (5, 134.5870)] {
        let ours = cholesky(tiles, "--cores 0 --devices 1 --policy dmdas");
        assert_close(ours, expected, 5e-2);
    }
}

#[test]
fn results_repeat_to_the_last_digit_and_noise_does_by_its_seed() {
    let flags = "--policy tessera --noise 0.1 --seed";
    let [first, again, other] = [1, 1, 2].map(|seed| cholesky(8, &format!("{flags} {seed}")));
    assert_eq!(first, again);
    assert!(first != other);
}

#[test]
fn every_program_runs_under_every_policy_in_small_memories() {
    let help = tegula("simulate --help").succeeded().stdout;
    let programs = [
        "cholesky",
        "lu",
        "gemm",
        "gemm-2d",
        "gemm-2d-shuffled",
        "gemm-2d-random",
        "gemm-2d-sparse",
        "gemm-3d",
        "cholesky-set",
    ];
    for program in programs {
        assert!(help.contains(program), "{program} in {help}");
        for policy in tegula_runtime::sched::POLICIES {
            let platform = if program == "lu" { "mirage-lu" } else { "mirage" };
            let command = format!(
                "simulate {program} --platform {platform} --tiles 6 --precision s --cores 0 \
                 --device-memory 60MiB --policy {} --json - --quiet",
                policy.name
            );
            let result = tegula(&command).succeeded().json();
            let makespan = number(&result, "/makespan_seconds");
            assert!(makespan >= number(&result, "/abe_seconds") * (1.0 - 1e-9), "{command}");
            assert!(makespan >= number(&result, "/cpb_seconds") * (1.0 - 1e-9), "{command}");
        }
    }
}

#[test]
fn routines_fits_and_predictions_run_on_nodes_and_clusters() {
    let programs = [
        "potrf",
        "getrf",
        "geqrf",
        "gesv --nrhs 50",
        "heevd",
        "gesvd",
        "ormqr",
        "posv-batch",
        "posv-mixed",
        "gesv-mixed",
        "qdwh",
        "norm2",
        "loglik",
        "fit --evaluations 3",
        "predict --places 1000",
    ];
    for program in programs {
        for platform in ["chifflet", "1chifflet+2chetemi"] {
            let command = format!(
                "simulate {program} --platform {platform} --tiles 3 --tile-size 100 --json - --quiet"
            );
            let result = tegula(&command).succeeded().json();
            assert!(number(&result, "/makespan_seconds") > 0.0, "{command}: {result}");
        }
    }
}

/// As many messages as a run sends over ranks that are threads.
#[test]
fn messages_are_those_of_a_run() {
    for (routine, tiles) in [("potrf", 7), ("getrf-nopiv", 6), ("syrk", 5), ("gemm", 4)] {
        let n = tiles * 50;
        let run = tegula(&format!(
            "linalg {routine} -n {n} --tile-size 50 --workers 1 --ranks local:4 \
             --distribution block-cyclic --json - --quiet"
        ));
        let simulated = tegula(&format!(
            "simulate {routine} --platform 4chetemi --tiles {tiles} --tile-size 50 \
             --distribution block-cyclic --json - --quiet"
        ));
        let (run, simulated) = (run.succeeded().json(), simulated.succeeded().json());
        // Bytes differ where a run packs what it sends: a described platform has no times of that.
        assert_eq!(number(&simulated, "/messages"), number(&run, "/messages"), "{routine}");
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    for (flags, words) in [
        ("cholesky --platform mirag --tiles 3", &["mirage"][..]),
        ("cholesky --platform mirage --tiles 0", &["--tiles"]),
        ("cholesky --platform mirage --tiles 3 --cores 0 --devices 0", &["no worker"]),
        ("cholesky --platform mirage --tiles 3 --noise=-1", &["--noise"]),
        ("cholesky --platform mirage --tiles 3 --device-memory lots", &["lots", "8GiB"]),
        ("cholesky --platform mirage --tiles 3 --cores 0 --device-memory 1MiB", &["memory"]),
        ("cholesky --platform mirage --tiles 1000000", &["16777216", "up to 427 tiles"]),
        ("gemm --platform mirage --tiles 236", &["up to 235 tiles"]),
        ("posv-mixed --platform mirage --tiles 3 --precision s", &["posv-mixed takes", "d or z"]),
        ("cholesky --platform mirage --tiles 3 --devices 4", &["mirage has 3 accelerators"]),
        ("cholesky --platform gemini-v100-1 --tiles 3 --cores 1", &["no core to copy"]),
        ("cholesky --platform mirage --tiles 3 --policy lws --eviction min", &["hfp, mhfp"]),
        ("cholesky --platform mirage --tiles 3 --noise 1e300", &["--noise 1.00e300:"]),
        ("cholesky --platform mirage --tiles 3 --disk-rate 1GB", &["--memory"]),
        ("cholesky --platform mirage --tiles 3 --cores 1 --dedicate potrf", &["--dedicate"]),
    ] {
        tegula(&format!("simulate {flags}")).failed(2, words);
    }
}

/// Simulates a Cholesky factorisation on mirage in single precision.
fn run(flags: &str) -> Run {
    let command = format!("simulate cholesky --platform mirage --precision s {flags}");
    tegula(&command).succeeded()
}

fn json(flags: &str) -> Value {
    run(&format!("{flags} --json - --quiet")).json()
}

/// The bounds are those of the workers that there are, on which the tasks fit.
#[test]
fn bounds_are_of_the_workers_that_can_run_the_tasks() {
    let potrf = 0.018_849_690;
    for flags in ["--cores 12 --devices 0", "--cores 1 --device-memory 1MiB"] {
        let result = json(&format!("--tiles 1 {flags}"));
        assert_close(number(&result, "/cpb_seconds"), potrf, 1e-9);
        assert_close(number(&result, "/makespan_seconds"), potrf, 1e-9);
    }
    assert_close(
        number(&json("--tiles 1 --cores 4 --devices 0"), "/abe_seconds"),
        potrf / 4.0,
        1e-6,
    );
    let text = run("--tiles 3 --device-memory 1MiB").stdout;
    assert!(text.contains("cuda-0, cuda-1, cuda-2 can run no task"), "{text}");
    let text = run("--tiles 1 --noise 2").stdout;
    assert!(text.contains("critical path bound") && text.contains("times without noise"), "{text}");
}

#[test]
fn times_that_the_platform_does_not_have_are_named() {
    let known = json("--tiles 3");
    assert_eq!(known["guessed"], json!([]));
    assert_eq!(known["platform_precision"], "s");
    let smaller = json("--tiles 3 --tile-size 100 --devices 0");
    let guess = json!({ "codelet": "gemm", "class": "cpu", "basis": "extrapolated" });
    assert_eq!(smaller["guessed"][0], guess);
    let lu = tegula("simulate lu --platform mirage --tiles 3").succeeded().stdout;
    for words in ["getrf_nopiv on cpu, cuda-0, cuda-1,", "(guessed)", "of single precision, and"] {
        assert!(lu.contains(words), "{words} in {lu}");
    }
}

#[test]
fn a_result_says_all_that_was_asked_for() {
    let flags = "--tiles 4 --cores 2 --devices 1 --device-memory 100MiB --link-rate 1GB --pipeline 2 \
                 --policy lws --eviction luf --seed 7 --noise 0.1 --memory 12MiB --disk-rate 2GB \
                 --dedicate potrf,trsm";
    let result = json(flags);
    let expected = json!({
        "cores": 2, "devices": 1, "device_memory": 100 << 20, "link_rate": 1e9, "pipeline": 2,
        "policy": "lws", "eviction": "luf", "seed": 7, "noise": 0.1, "memory": 12 << 20,
        "disk_rate": 2e9, "dedicate": ["potrf", "trsm"], "messages": 0,
        "working_set_bytes": 10 * 960 * 960 * 4,
    });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&result[key], value, "{key}");
    }
    assert_eq!(result["bytes"], result["transfers"]["bytes"]);
    assert!(number(&result, "/bytes_to_disk") > 0.0, "{result:#}");
    let text = run(flags).stdout;
    for words in ["eviction luf, seed 7, noise 0.1", "12.0 MiB of RAM", "luf is as lru"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let plain = json("--tiles 2");
    assert_eq!((&plain["devices"], &plain["eviction"]), (&Value::Null, &json!("lru")));
}

#[test]
fn a_program_without_tasks_is_said() {
    let text = tegula("simulate gemm-2d-sparse --platform mirage --tiles 1").succeeded().stdout;
    assert!(text.contains("nothing to run"), "{text}");
}

/// A run that follows the order of another takes about as long, and each worker runs the same tasks
/// in that order, as far as their data come so.
#[test]
fn the_order_of_another_run_is_followed() {
    let platform = "--platform gemini-v100-2 --precision s --device-memory 500MiB";
    for (program, policy) in [("cholesky", "dmdas"), ("gemm-2d", "hfp"), ("cholesky", "tessera")] {
        let folder = folder();
        let simulate = |more: &str| {
            let command = format!("simulate {program} {platform} --tiles 12 --json - -q {more}");
            tegula_in(&folder, &command).succeeded().json()
        };
        let first = simulate(&format!("--policy {policy} --trace first.csv"));
        let second = simulate("--order first.csv --trace second.csv");
        let seconds = |of: &Value| number(of, "/makespan_seconds");
        assert_close(seconds(&second), seconds(&first), 0.06);
        assert_eq!(second["policy"], json!("order"));
        let tasks_of = |worker: f64, name: &str| {
            let [tasks, workers] = ["task", "worker"].map(|of| column(&folder.join(name), of));
            let rows = tasks.into_iter().zip(workers).filter(|&(_, of)| of == worker);
            rows.map(|(task, _)| task).collect::<Vec<f64>>()
        };
        for worker in [0.0, 1.0] {
            let [first, second] = ["first.csv", "second.csv"].map(|name| tasks_of(worker, name));
            assert_eq!(first.len(), second.len(), "{program}");
            // Of the five that a device holds the data of, the first whose data have come runs.
            for (place, task) in first.iter().enumerate() {
                let other = second.iter().position(|other| other == task);
                let moved = other.expect("the same worker runs it").abs_diff(place);
                assert!(moved <= 5, "{program}, worker {worker}, task {task}: {moved} places");
            }
        }
    }
}

#[test]
fn an_order_that_cannot_be_followed_is_refused() {
    for (table, words) in [
        ("", &["no column 'task'", "--trace FILE.csv"][..]),
        ("task,worker\n1,2\n", &["line 2: worker 2: the machine has 2"]),
        ("task,worker\n20,1\n", &["line 2: task 20: the program has 20"]),
        ("task,worker\n1,0\n2,1\n1,1\n", &["task 1 is there twice"]),
        ("task,worker\n1,0\nx,1\n", &["line 3: task 'x'"]),
        ("task,worker,start_seconds\n1,0,soon\n", &["line 2: start_seconds 'soon'"]),
        ("task,worker\n3,0\n0,0\n", &["cannot be followed: worker 0 is to run task 3 first"]),
    ] {
        let folder = folder_with("order.csv", table);
        let simulate = "simulate cholesky --platform gemini-v100-2 --tiles 4 --order order.csv";
        tegula_in(&folder, simulate).failed(2, words);
    }
    let more = "--tiles 4 --order none.csv";
    tegula(&format!("simulate cholesky --platform mirage {more}")).failed(2, &["none.csv"]);
    tegula(&format!("simulate cholesky --platform 2chifflet {more}")).failed(2, &["one machine"]);
}
