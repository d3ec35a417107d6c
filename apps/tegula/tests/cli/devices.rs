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
        ("--memory 1KiB --scratch /nonexistent", &["/nonexistent", "no such folder"]),
        ("--eviction min", &["min", "hfp"]),
        ("--workers 1 --dedicate potrf", &["--workers 2"]),
        ("--dedicate nothing", &["nothing"]),
    ] {
        tegula(&format!("linalg potrf -n 100 {flags}")).failed(2, words);
    }
}

/// A tile that fits no memory is one message with what it takes.
#[test]
fn a_tile_that_fits_no_memory_is_said() {
    let folder = folder();
    let flags = "linalg potrf -n 600 --tile-size 300 --memory 1MiB --scratch . --policy dmdas";
    tegula_in(&folder, flags).failed(1, &["at once", "smaller tiles"]);
}
