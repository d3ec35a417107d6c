//! Accelerators and memories that are too small: the answers are those of the cores alone.

use serde_json::Value;

use crate::support::{assert_close, folder, number, tegula, tegula_in};

/// Two unequal emulated accelerators that hold about a dozen tiles of order 64.
const DEVICES: &str = "--devices emulated:2:400KiB:2GB/1GB:1/0.5 --tile-size 64";

#[test]
fn every_algorithm_passes_its_check_on_emulated_accelerators() {
    for algorithm in ["potrf", "potrs", "getrf-nopiv", "gemm", "trsm"] {
        for policy in ["lws", "dmdas", "darts", "tessera"] {
            for cores in [1, 0] {
                let command = format!(
                    "linalg {algorithm} -n 500 {DEVICES} --workers {cores} --policy {policy} \
                     --check --json - --quiet"
                );
                let result = tegula(&command).succeeded().json();
                assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
                let workers = result["tasks"].as_array().expect("one for each worker");
                assert_eq!(workers.len(), cores + 2, "{result:#}");
                for worker in workers {
                    assert!(number(worker, "/waiting_share") <= 1.0, "{worker:#}");
                }
                // Each task ends in an event.
                let [events, left] = ["/conflicts/events", "/conflicts/left"]
                    .map(|pointer| number(&result, pointer));
                assert!(events >= number(&result, "/tasks_run"), "{result:#}");
                assert!(left < events, "{result:#}");
                assert!(number(&result, "/deciding_seconds") > 0.0, "{result:#}");
                // With cores at hand, a policy may leave what is quick to them.
                if cores == 0 {
                    assert!(number(&result, "/transfers/bytes") > 0.0, "{command}");
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_goes_to_disk_and_back() {
    for algorithm in ["potrf", "getrf-nopiv"] {
        for policy in ["lws", "dmdas", "darts", "mhfp", "tessera"] {
            // An eighth of the matrix, or a quarter.
            let command = format!(
                "linalg {algorithm} -n 700 --tile-size 64 --memory 500KiB --scratch {} \
                 --policy {policy} --check --json - --quiet",
                folder().display()
            );
            let result = tegula(&command).succeeded().json();
            assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
            assert!(number(&result, "/bytes_to_disk") > 0.0, "{command}");
        }
    }
}

#[test]
fn a_likelihood_is_the_same_on_accelerators_and_out_of_core() {
    let loglik = |flags: &str| {
        let command = format!(
            "exageostat loglik data/samples/a_synth1600.csv --covariance matern \
             --params 1,0.1,0.5 --values z --json - --quiet {flags}"
        );
        number(&tegula(&command).succeeded().json(), "/loglik")
    };
    let expected = loglik("");
    let scratch = format!("--memory 4MiB --scratch {}", folder().display());
    for flags in ["--devices emulated:1:8MiB --policy dmdas", &scratch] {
        assert_close(loglik(flags), expected, 1e-10);
    }
}

#[test]
fn a_core_may_be_kept_for_some_kernels() {
    let command = "linalg potrf -n 300 --tile-size 50 --workers 3 --dedicate potrf,trsm --check \
                   --json - --quiet";
    let result = tegula(command).succeeded().json();
    assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
}

#[test]
fn machines_that_cannot_be_are_refused() {
    for (flags, words) in [
        ("--devices emulated:2", &["emulated:N:MEMORY"][..]),
        ("--devices emulated:2:1GiB/1GiB/1GiB", &["3 memories for 2 devices"]),
        ("--devices emulated:1:1GiB:1GB:4", &["at most 1"]),
        ("--devices gpu", &["emulated"]),
        ("--memory much", &["much", "8GiB"]),
        ("--memory 1KiB", &["--memory allows", "--scratch"]),
        ("--memory 1KiB --scratch /nonexistent", &["/nonexistent", "there is no folder"]),
        ("--eviction min", &["min", "hfp"]),
        ("--workers 1 --dedicate potrf", &["--workers 2"]),
        ("--dedicate nothing", &["nothing"]),
        ("--dedicate gemv", &["gemv", "it has potrf, trsm, syrk, gemm"]),
        ("--devices emulated:1:1GiB:fast", &["'fast' is no rate"]),
        ("--reserve 1 --workers 1", &["--reserve", "--workers"]),
        ("--reserve 1000000", &["--reserve 1000000 leaves none"]),
        ("--memory -1", &["'-1' is no amount of memory"]),
    ] {
        tegula(&format!("linalg potrf -n 100 {flags}")).failed(2, words);
        tegula(&format!("linalg potrf -n 100 --dry-run {flags}")).failed(2, words);
    }
    tegula("linalg potrf -n 100 -q --devices emulated:2:1GiB:5GB/s/2GB/s").succeeded();
}

#[test]
fn a_kernel_may_be_named_as_its_tasks_are() {
    let sample = "exageostat loglik data/samples/e_sub140.csv --params 1,0.1,0.5 --workers 2";
    tegula(&format!("{sample} --dedicate covariance,potrf --tile-size 40")).succeeded();
    tegula("linalg getrf-nopiv -n 100 --workers 2 --dedicate getrf_nopiv").succeeded();
    tegula("linalg getrf-nopiv -n 100 --workers 2 --dedicate getrf-nopiv").succeeded();
}

/// Where a task on the tiles asked for fits no memory, the message says what would.
#[test]
fn a_tile_that_fits_no_memory_is_refused_before_the_start() {
    let folder = folder();
    let potrf = "linalg potrf -n 600 --scratch . --policy dmdas --json - -q";
    let flags = format!("{potrf} --tile-size 200 --memory 900KiB");
    tegula_in(&folder, &flags).failed(2, &["948 KiB at once", "--tile-size 195 or less fits"]);
    tegula_in(&folder, &flags.replace("200", "195")).succeeded();
    tegula_in(&folder, &flags.replace("900KiB", "960KiB")).succeeded();
    // Tiles are chosen so that they fit.
    for memory in ["900KiB", "100KiB", "14KiB"] {
        let run = tegula_in(&folder, &format!("{potrf} --check --memory {memory}"));
        assert!(number(&run.succeeded().json(), "/bytes_to_disk") > 0.0);
    }
    // A device that holds next to nothing spoils none; alone, it gets what it can hold.
    let tiles = |flags: &str| {
        let devices = format!("linalg potrf -n 600 {flags} --json - -q --check");
        number(&tegula(&devices).succeeded().json(), "/tile_size")
    };
    assert_eq!(tiles("--workers 1 --devices emulated:1:20KiB"), tiles("--workers 2"));
    assert_eq!(tiles("--workers 0 --devices emulated:1:20KiB"), 24.0);
    tegula_in(&folder, &format!("{potrf} --memory 10KiB")).failed(2, &["--tile-size 20 or less"]);
}

#[test]
fn devices_that_hold_no_task_are_said() {
    let run = tegula("linalg potrf -n 600 --tile-size 200 --devices emulated:2:900KiB/1MiB");
    let text = run.succeeded().stdout;
    assert!(text.contains("note: GPU 0 holds less than the 948 KiB"), "{text}");
}

#[test]
fn more_tiles_than_a_run_may_have_are_refused() {
    tegula("linalg gemm -n 4200 -k 1 --tile-size 1").failed(2, &["--tile-size 2 at least"]);
}

#[test]
fn people_read_why_a_run_uses_the_disk_and_what_leaves_the_memory() {
    let folder = folder();
    let sample = crate::support::root().join("data/samples/e_sub140.csv");
    let loglik = format!("exageostat loglik {} --params 1,0.1,0.5", sample.display());
    for command in ["linalg potrf -n 300", &loglik] {
        let flags = format!("{command} --memory 100KiB --scratch .");
        for dry in ["", "--dry-run"] {
            let text = tegula_in(&folder, &format!("{flags} {dry}")).succeeded().stdout;
            for words in [
                "more than the 100 KiB that --memory allows: the rest on disk",
                "policy darts (default where the disk takes what does not fit), eviction",
            ] {
                assert!(text.contains(words), "{words} in {text}");
            }
            assert_eq!(text.contains("waits for data"), dry.is_empty(), "{text}");
        }
    }
}

#[test]
fn every_result_says_what_it_ran_on_and_what_moved() {
    let sample = "data/samples/e_sub140.csv";
    let model = folder().join("model.json");
    let fit =
        format!("exageostat fit {sample} --fix range=1,smoothness=0.5 -o {}", model.display());
    tegula(&fit).succeeded();
    let commands = [
        "linalg potrf -n 300".to_owned(),
        format!("exageostat loglik {sample} --params 1,0.1,0.5"),
        format!("exageostat fit {sample} --fix smoothness=0.5 --max-evaluations 3"),
        "exageostat sample --n 150 --params 1,0.1,0.5 -o /dev/null".to_owned(),
        format!("exageostat predict {} --at {sample} -o /dev/null", model.display()),
    ];
    for command in commands {
        for (flags, workers, eviction) in [
            ("--workers 1", 1, Value::Null),
            ("--workers 1 --devices emulated:1:1MiB --eviction lru", 2, "lru".into()),
        ] {
            let result = tegula(&format!("{command} {flags} --json - -q")).succeeded().json();
            let tasks = result["tasks"].as_array().expect("one for each worker");
            assert_eq!(tasks.len(), workers, "{result:#}");
            assert!(tasks.iter().map(|worker| number(worker, "/tasks")).sum::<f64>() > 0.0);
            assert_eq!(result["eviction"], eviction);
            assert_eq!(result["devices"].as_array().map(Vec::len), Some(workers - 1));
            assert_eq!(result["memory_limit_bytes"], Value::Null);
            let moved = result["transfers"]["per_device"].as_array().expect("one for each device");
            assert_eq!(moved.len(), workers - 1, "{result:#}");
            for device in moved {
                let all = number(&result, "/transfers/bytes");
                assert_eq!(number(device, "/bytes_in") + number(device, "/bytes_out"), all);
            }
            for name in ["transfers/bytes", "bytes_to_disk", "messages", "bytes_sent", "ranks"] {
                assert!(number(&result, &format!("/{name}")) >= 0.0, "{name}");
            }
        }
    }
}
