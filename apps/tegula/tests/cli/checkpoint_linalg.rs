//! Factorisations that a signal or a full disk stops, and others that go on with their checkpoints.

use std::fs;
use std::path::Path;

use crate::checkpoint::{signalled, stopped_after_a_checkpoint, with_full_disk};
use crate::support::{folder, tegula_in};

const FACTORISATIONS: [&str; 8] = [
    "potrf -n 64",
    "potrf -n 64 --uplo upper --precision z",
    "posv -n 64 --nrhs 3",
    "getrf -n 64",
    "gesv -n 64 --nrhs 13",
    "geqrf -m 90 -n 64",
    "gels -m 90 -n 64 --nrhs 5",
    "gels -m 64 -n 90 --nrhs 5",
];

/// The numbers in one of NumPy's files, complex ones as two.
fn entries(path: &Path) -> Vec<f64> {
    let bytes = fs::read(path).expect("the result");
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let numbers = bytes[10 + header..].chunks_exact(8);
    numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect()
}

/// Asserts that numbers of the order of one are the same but for rounding.
#[track_caller]
fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs();
        assert!(difference <= 1e-9 * expected.abs().max(1.0), "{found} against {expected}");
    }
}

#[test]
fn a_factorisation_goes_on_to_the_same_end_after_a_signal() {
    let folder = folder();
    // Nobody asks for the owners of tiles on one rank, but they are read once signals are noted.
    fs::write(folder.join("owners.csv"), "0\n").expect("a file");
    for (count, algorithm) in FACTORISATIONS.into_iter().enumerate() {
        let run = |more: &str| tegula_in(&folder, &format!("linalg {algorithm} --json - {more}"));
        run("--workers 2 --tile-size 10 --output whole.npy").succeeded();
        let whole = entries(&folder.join("whole.npy"));
        let signal = ["USR1", "TERM", "INT"][count % 3];
        let arguments = format!(
            "linalg {algorithm} --workers 2 --tile-size 10 --distribution file:pipe --checkpoint c"
        );
        let stopped = signalled(&folder, &arguments, ["pipe", "owners.csv"], signal);
        assert_eq!(stopped.code, 75, "{}{}", stopped.stdout, stopped.stderr);
        let says = format!("stopped by SIG{signal} after 1 of 7 steps; go on with: tegula linalg");
        assert!(stopped.stderr.contains(&says), "{}", stopped.stderr);
        // The order of the tiles is that of the checkpoint.
        let rest = run("--workers 2 --resume c --check --output rest.npy").succeeded().json();
        assert_eq!((&rest["steps"], &rest["steps_taken_over"]), (&7.into(), &1.into()));
        assert_eq!(rest["tile_size"], 10, "{algorithm}");
        assert_eq!(entries(&folder.join("rest.npy")), whole, "{algorithm}");
        let rest = run("--resume c --ranks local:3 --workers 1 --check --output rest.npy");
        assert_eq!(rest.succeeded().json()["steps_taken_over"], 1, "{algorithm}");
        let rest = entries(&folder.join("rest.npy"));
        assert_near(&rest, &whole);
    }
}

#[test]
fn a_factorisation_over_ranks_goes_on_over_others() {
    let folder = folder();
    for algorithm in FACTORISATIONS {
        let run = |more: &str| {
            let arguments =
                format!("linalg {algorithm} --workers 1 --output X.npy --json - {more}");
            let result = tegula_in(&folder, &arguments).succeeded().json();
            (result, entries(&folder.join("X.npy")))
        };
        let (_, whole) = run("--tile-size 10");
        for [first, second] in [["local:3", "local:1"], ["local:2", "local:4"]] {
            let every = "--tile-size 10 --checkpoint c --checkpoint-every 0s";
            let (result, found) = run(&format!("--ranks {first} {every}"));
            assert_eq!(result["steps_taken_over"], 0);
            let (rest, again) = run(&format!("--ranks {second} --resume c --check"));
            // The last checkpoint is that of the last pause.
            assert_eq!(rest["steps_taken_over"], 6, "{algorithm}");
            assert_near(&found, &whole);
            assert_near(&again, &whole);
        }
    }
}

#[test]
fn ranks_stop_a_factorisation_together() {
    let folder = folder();
    let every = "--ranks local:2 --workers 1 --checkpoint c --checkpoint-every 0s";
    let arguments = format!("linalg potrf -n 1500 --tile-size 30 {every}");
    let run = stopped_after_a_checkpoint(&folder, &arguments);
    assert_eq!(run.stderr.matches("of 50 steps; go on with").count(), 1, "{}", run.stderr);
}

#[test]
fn a_checkpoint_of_another_factorisation_is_refused() {
    let folder = folder();
    let run = |algorithm: &str, more: &str| {
        tegula_in(&folder, &format!("linalg {algorithm} --workers 1 {more}"))
    };
    let every = "--checkpoint c --checkpoint-every 0s";
    run("posv -n 60 --nrhs 2 --tile-size 12", every).succeeded();
    let resume = |more: &str| run("posv", &format!("--resume c {more}"));
    resume("-n 60 --nrhs 2 --check").succeeded();
    resume("-n 60 --nrhs 3").failed(2, &["c is of another run", "nrhs: 2 there, 3 here"]);
    resume("-n 61 --nrhs 2").failed(2, &["n: 60 there, 61 here"]);
    resume("-n 60 --nrhs 2 --tile-size 10").failed(2, &["--tile-size: 12 there, 10 here"]);
    resume("-n 60 --nrhs 2 --uplo upper").failed(2, &["--uplo: lower there, upper here"]);
    resume("-n 60 --nrhs 2 --seed 1").failed(2, &["--seed: 0 there, 1 here"]);
    resume("-n 60 --nrhs 2 --precision s").failed(2, &["--precision: d there, s here"]);
    run("gesv", "-n 60 --nrhs 2 --resume c").failed(2, &["linalg posv there, linalg gesv here"]);
    run("gemm", "-n 60 --checkpoint c").failed(2, &["gemm makes no pauses", "potrf, posv"]);
    run("posv", "-n 60 --checkpoint c --repeat 2").failed(2, &["--repeat"]);
    run("posv", "-n 60 --checkpoint c --json c").failed(2, &["--json"]);

    let right: Vec<String> = (0..60).map(|i| i.to_string()).collect();
    fs::write(folder.join("right.csv"), right.join("\n")).expect("a file");
    let row = |i: usize| (0..60).map(|j| if i == j { "2" } else { "0" }).collect::<Vec<_>>();
    let rows: Vec<String> = (0..60).map(|i| row(i).join(",")).collect();
    fs::write(folder.join("A.csv"), rows.join("\n")).expect("a file");
    let posv = "posv --input A.csv --rhs right.csv";
    run(posv, &format!("--tile-size 12 {every}")).succeeded();
    run(posv, "--resume c --check").succeeded();
    fs::write(folder.join("right.csv"), right.join("\n").replace("42", "43")).expect("a file");
    run(posv, "--resume c").failed(2, &["another run", "--rhs"]);
}

#[test]
fn a_damaged_checkpoint_of_a_factorisation_is_refused() {
    let folder = folder();
    let run = |more: &str| tegula_in(&folder, &format!("linalg getrf -n 60 --workers 1 {more}"));
    run("--tile-size 12 --checkpoint c --checkpoint-every 0s").succeeded();
    let bytes = fs::read(folder.join("c")).expect("the checkpoint");
    fs::write(folder.join("cut"), &bytes[..bytes.len() - 100]).expect("a file");
    run("--resume cut").failed(2, &["cut is damaged or cut short", "start anew"]);
    // A tile, which nobody looks at but the rank that reads it.
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    fs::write(folder.join("changed"), changed).expect("a file");
    for ranks in ["local:1", "local:3"] {
        let words = ["changed is damaged or cut short", "start anew"];
        run(&format!("--resume changed --ranks {ranks}")).failed(2, &words);
    }
    fs::copy(folder.join("c.previous"), folder.join("changed.previous")).expect("a copy");
    run("--resume changed")
        .failed(2, &["go on from the one before it with --resume changed.previous"]);
    run("--resume changed.previous --check").succeeded();
    assert_eq!(bytes, fs::read(folder.join("c")).expect("the checkpoint"));
}

#[test]
fn a_full_disk_ends_all_ranks() {
    let folder = folder();
    for run in [
        "linalg potrf -n 300 --ranks local:2 --output L.npy",
        "linalg potrf -n 300 --tile-size 30 --ranks local:2 --trace t.csv",
        "linalg potrf -n 700 --ranks local:2 --memory 1MiB --tile-size 50 --scratch .",
    ] {
        let run = with_full_disk(&folder, run);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(run.stderr.matches("error:").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("File too large"), "{}", run.stderr);
    }
    assert!(!folder.join("L.npy").exists() && !folder.join("t.csv").exists());
}
