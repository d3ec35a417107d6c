//! Compares runs with the outcomes of the published program in folders of workloads: for each
//! scheduler, how many jobs agree in node, start, end, load and wait.

use std::io::Read;
use std::path::Path;

use tegula_batch::cluster::Cluster;
use tegula_batch::engine::{Options, simulate};
use tegula_batch::log::{read_native, read_outcomes};
use tegula_batch::policy::POLICIES;
use tegula_batch::rules::Rules;

fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).ok()?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).ok()?;
    Some(text)
}

#[allow(clippy::print_stdout)]
fn main() {
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        let json = std::fs::read_to_string(folder.join("cluster.json")).expect("a cluster");
        let (cluster, begin) = Cluster::from_json(&json).expect("a cluster");
        let log = text(&folder.join("workload.csv.gz")).expect("a log");
        let mut workload = read_native(&log).expect("a log");
        workload.begin = begin;
        for (gate, interval) in [("gate30", 30), ("gate0", 0)] {
            for policy in POLICIES {
                for backfill in [false, true] {
                    let suffix = if backfill { "-bf" } else { "" };
                    let name = format!("{gate}/{}{suffix}.csv.gz", policy.name);
                    let Some(expected) = text(&folder.join(&name)) else { continue };
                    let expected = read_outcomes(&expected).expect("outcomes");
                    let rules = Rules::Published;
                    let options = Options { policy, backfill, rules, weight: 500.0, interval };
                    let started = std::time::Instant::now();
                    let run = simulate(&cluster, &workload, options);
                    let seconds = started.elapsed().as_secs_f64();
                    let (mut equal, mut count) = (0, 0);
                    let mut first: Option<(i64, u64, Option<_>, Option<_>)> = None;
                    for (job, outcome) in workload.jobs.iter().zip(&run.outcomes) {
                        count += usize::from(outcome.is_some());
                        if outcome.as_ref() == expected.get(&job.id) {
                            equal += usize::from(outcome.is_some());
                        } else {
                            let start = outcome.map_or(i64::MAX, |outcome| outcome.start);
                            let other = expected.get(&job.id).map_or(i64::MAX, |o| o.start);
                            let at = (
                                start.min(other),
                                job.id,
                                *outcome,
                                expected.get(&job.id).copied(),
                            );
                            first = match first {
                                Some((time, ..)) if time <= at.0 => first,
                                _ => Some(at),
                            };
                        }
                    }
                    let state =
                        if equal == count && count == expected.len() { "same" } else { "DIFFERS" };
                    println!(
                        "{state} {} {name}: {equal} of {} ({count} here), {} passes, {seconds:.2} s",
                        folder.display(),
                        expected.len(),
                        run.passes
                    );
                    if let Some(first) = first {
                        println!("    {first:?}");
                    }
                }
            }
        }
    }
}
