//! Every job of every workload in `tests/data` starts and ends where and when the published program
//! had it, under each of its schedulers.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tegula_batch::cluster::Cluster;
use tegula_batch::engine::{Options, simulate};
use tegula_batch::job::Workload;
use tegula_batch::log::{read_native, read_outcomes};
use tegula_batch::policy::{POLICIES, Policy};
use tegula_batch::rules::Rules;

/// Schedulers of the program; each is run with and without backfilling.
const PUBLISHED: [&str; 5] = ["fcfs", "eft", "lea", "leo", "lem"];

fn unpacked(path: &Path) -> String {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a compressed text");
    text
}

fn folders() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let entries = std::fs::read_dir(data).expect("a folder");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn read(folder: &Path) -> (Cluster, Workload) {
    let json = std::fs::read_to_string(folder.join("cluster.json")).expect("a text");
    let (cluster, begin) = Cluster::from_json(&json).expect("a cluster");
    let mut workload = read_native(&unpacked(&folder.join("workload.csv.gz"))).expect("a log");
    workload.begin = begin;
    (cluster, workload)
}

/// Compares all outcomes of one scheduler.
fn check(folder: &Path, (gate, interval): (&str, i64), policy: &'static Policy, backfill: bool) {
    let (cluster, workload) = read(folder);
    let name = format!("{gate}/{}{}.csv.gz", policy.name, if backfill { "-bf" } else { "" });
    let expected = read_outcomes(&unpacked(&folder.join(&name))).expect("outcomes");
    let options = Options { policy, backfill, rules: Rules::Published, weight: 500.0, interval };
    let run = simulate(&cluster, &workload, options);
    for (job, outcome) in workload.jobs.iter().zip(&run.outcomes) {
        assert_eq!(
            outcome.as_ref(),
            expected.get(&job.id),
            "job {} of {}, {name}",
            job.id,
            folder.display()
        );
    }
    let started = run.outcomes.iter().flatten().count();
    assert_eq!(started, expected.len(), "{}, {name}", folder.display());
}

fn check_all(gate: (&str, i64)) {
    let folders = folders();
    assert_eq!(folders.len(), 5, "{folders:?}");
    for folder in folders {
        for name in PUBLISHED {
            let policy = POLICIES.iter().find(|policy| policy.name == name).expect("a scheduler");
            [false, true].into_iter().for_each(|backfill| check(&folder, gate, policy, backfill));
        }
    }
}

#[test]
fn every_job_runs_as_in_the_published_program() {
    check_all(("gate30", 30));
}

#[test]
fn every_job_runs_as_in_the_program_without_its_interval() {
    check_all(("gate0", 0));
}
