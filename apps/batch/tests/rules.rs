//! The rules by hand, on one node or two, and what holds on every workload.

use tegula_batch::cluster::Cluster;
use tegula_batch::engine::{Options, Outcome, Run, simulate};
use tegula_batch::generate::{Shape, generate};
use tegula_batch::job::{Job, Kind, Workload};
use tegula_batch::log::{read_native, write_native};
use tegula_batch::metrics::{compare, measure, quantile, session_stretches, summary};
use tegula_batch::policy::{POLICIES, policy};
use tegula_batch::rules::Rules;

/// A node of two cores whose load of a gigabyte takes ten seconds.
fn cluster(nodes: u32) -> Cluster {
    Cluster { nodes, cores: 2, memory_gb: 8.0, bandwidth: 0.1, shared: None }
}

/// `(submit, walltime, duration, cores, file)`: files are of one gigabyte.
type Line = (i64, i64, i64, u32, Option<u32>);

fn workload(lines: &[Line]) -> Workload {
    let job = |(index, &(submit, walltime, duration, cores, file)): (usize, &Line)| Job {
        id: index as u64,
        submit,
        walltime,
        duration,
        cores,
        user: 0,
        file,
        file_gb: 1.0,
        output_gb: 0.0,
        nodes: 1,
        kind: Kind::Evaluated,
        ran: None,
    };
    Workload {
        jobs: lines.iter().enumerate().map(job).collect(),
        users: vec!["a".to_owned()],
        files: (0..9).map(|number| number.to_string()).collect(),
        begin: Some(0),
    }
}

fn options(name: &str, backfill: bool) -> Options {
    let policy = policy(name).expect("a scheduler");
    Options { policy, backfill, rules: Rules::Text, weight: 500.0, interval: 0 }
}

fn outcomes(nodes: u32, name: &str, lines: &[Line]) -> Vec<Outcome> {
    let run = simulate(&cluster(nodes), &workload(lines), options(name, false));
    run.outcomes.into_iter().map(|outcome| outcome.expect("it starts")).collect()
}

fn outcome(node: u32, start: i64, end: i64, transfer: i64, wait: i64) -> Outcome {
    Outcome { node, start, end, transfer, wait }
}

#[test]
fn a_file_is_loaded_once_while_jobs_use_it() {
    // The second job waits for the rest of the first one's load.
    let both = outcomes(1, "fcfs", &[(0, 99, 30, 1, Some(0)), (4, 99, 30, 1, Some(0))]);
    assert_eq!(both, [outcome(0, 0, 40, 10, 0), outcome(0, 4, 40, 0, 6)]);
    // The file is there.
    let both = outcomes(1, "fcfs", &[(0, 99, 30, 1, Some(0)), (20, 99, 30, 1, Some(0))]);
    assert_eq!(both[1], outcome(0, 20, 50, 0, 0));
}

#[test]
fn a_file_stays_until_the_very_second_in_which_its_last_user_ends() {
    let at = |submit| outcomes(1, "fcfs", &[(0, 99, 30, 1, Some(0)), (submit, 99, 5, 1, Some(0))]);
    assert_eq!(at(40)[1], outcome(0, 40, 45, 0, 0));
    assert_eq!(at(41)[1], outcome(0, 41, 56, 10, 0));
}

#[test]
fn a_job_is_killed_at_its_walltime_loads_included() {
    let killed = outcomes(1, "fcfs", &[(0, 20, 15, 1, Some(0)), (2, 6, 15, 1, Some(0))]);
    assert_eq!(killed, [outcome(0, 0, 20, 10, 0), outcome(0, 2, 8, 0, 8)]);
}

#[test]
fn a_job_of_several_nodes_has_all_of_them_at_once() {
    let mut workload = workload(&[
        (0, 50, 30, 1, None),
        (1, 40, 20, 2, Some(0)),
        (2, 99, 5, 1, None),
        (3, 40, 10, 2, None),
    ]);
    (workload.jobs[1].nodes, workload.jobs[3].nodes) = (2, 3);
    for name in ["fcfs", "eft", "lea", "leo", "lem", "gradual"] {
        for backfill in [false, true] {
            let run = simulate(&cluster(3), &workload, options(name, backfill));
            let all: Vec<Outcome> = run.outcomes.iter().map(|o| o.expect("it starts")).collect();
            // Two nodes load at once; the third job's core is beside the first job; the last one
            // needs all nodes.
            assert_eq!(all[1], outcome(1, 1, 31, 10, 0), "{name}");
            assert_eq!(all[2], outcome(0, 2, 7, 0, 0), "{name}");
            assert_eq!((all[3].start, all[3].end), (31, 41), "{name}");
            let measured = measure(&cluster(3), &workload, &run);
            assert_eq!((measured[1].cores, measured[1].core_seconds()), (4, 120));
        }
    }
}

#[test]
fn what_a_job_leaves_is_written_within_its_walltime() {
    let mut workload = workload(&[(0, 60, 30, 1, Some(0)), (0, 25, 5, 1, None)]);
    workload.jobs.iter_mut().for_each(|job| job.output_gb = 1.5);
    let run = simulate(&cluster(2), &workload, options("fcfs", false));
    assert_eq!(run.outcomes[0], Some(outcome(0, 0, 55, 10, 0)));
    assert_eq!(run.outcomes[1], Some(outcome(0, 0, 20, 0, 0)));
    workload.jobs[0].walltime = 50;
    let run = simulate(&cluster(2), &workload, options("fcfs", false));
    assert_eq!(run.outcomes[0].map(|outcome| outcome.end), Some(50));
}

#[test]
fn transfers_share_a_slow_file_system() {
    let slow = Cluster { shared: Some(0.1), ..cluster(3) };
    let run = |workload: &Workload| -> Vec<Outcome> {
        let run = simulate(&slow, workload, options("fcfs", false));
        run.outcomes.into_iter().map(|outcome| outcome.expect("it starts")).collect()
    };
    // Two loads of 10 s each take 20 s together; who reads the same file there waits for it.
    let mut three =
        workload(&[(0, 99, 30, 2, Some(0)), (0, 99, 30, 1, Some(1)), (5, 99, 10, 1, Some(1))]);
    let all = [outcome(0, 0, 50, 20, 0), outcome(1, 0, 50, 20, 0), outcome(1, 5, 30, 0, 15)];
    assert_eq!(run(&three), all);
    // One is killed before its file is there, which the other still gets.
    three.jobs[1].walltime = 12;
    let all = [outcome(0, 0, 50, 20, 0), outcome(1, 0, 12, 0, 12), outcome(1, 5, 30, 0, 15)];
    assert_eq!(run(&three), all);
    // What is written shares it, too.
    let mut writes = workload(&[(0, 99, 10, 1, None), (0, 99, 10, 1, None)]);
    writes.jobs.iter_mut().for_each(|job| job.output_gb = 1.0);
    assert_eq!(run(&writes).iter().map(|o| o.end).collect::<Vec<_>>(), [30, 30]);
    // A file system that is fast enough changes nothing.
    let shape = Shape { jobs: 400, load: 1.1, wide: 0.1, output: 0.2, seed: 5, ..Shape::default() };
    let alone = Cluster { nodes: 6, cores: 4, memory_gb: 8.0, bandwidth: 0.01, shared: None };
    let mut drawn = generate(&alone, shape).expect("they offer it");
    drawn.jobs.iter_mut().for_each(|job| job.file_gb = job.file_gb.round());
    drawn.jobs.iter_mut().for_each(|job| job.output_gb = 0.0);
    for name in ["fcfs", "lem", "gradual"] {
        let shared = Cluster { shared: Some(100.0), ..alone.clone() };
        let [a, b] = [&alone, &shared]
            .map(|cluster| simulate(cluster, &drawn, options(name, true)).outcomes);
        for (place, (a, b)) in a.iter().zip(&b).enumerate() {
            // Ends are simulated, too, and meanwhile more jobs start.
            assert!(a.is_none() || a == b, "{name}: {a:?}, {b:?}: {:?}", drawn.jobs[place]);
        }
    }
}

#[test]
fn cores_go_to_one_job_at_a_time_in_the_order_of_the_queue() {
    // The third could run beside the first, but the second is before it.
    let lines = [(0, 50, 30, 1, None), (1, 50, 30, 2, None), (2, 50, 5, 1, None)];
    let all = outcomes(1, "fcfs", &lines);
    assert_eq!(all.iter().map(|o| o.start).collect::<Vec<_>>(), [0, 30, 60]);
    // With backfilling it does, as it ends by its walltime before the second may start.
    let short = [(0, 50, 30, 1, None), (1, 50, 30, 2, None), (2, 48, 5, 1, None)];
    let starts = |lines: &[Line]| {
        let run = simulate(&cluster(1), &workload(lines), options("fcfs", true));
        run.outcomes.iter().map(|o| o.expect("it starts").start).collect::<Vec<_>>()
    };
    assert_eq!(starts(&short), [0, 30, 2]);
    assert_eq!(starts(&[lines[0], lines[1], (2, 49, 5, 1, None)]), [0, 30, 60]);
}

/// Where the last job goes, and when it starts: its file is on the second node, which has a core
/// for it from `free` on by the plan, while a third node is idle.
fn choice(name: &str, free: i64) -> (u32, i64) {
    let lines = [(0, 500, 500, 2, None), (1, free - 1, 400, 2, Some(1)), (2, 99, 99, 1, Some(1))];
    // On three nodes, of which the last one is idle.
    let run = simulate(&cluster(3), &workload(&lines), options(name, false));
    let last = run.outcomes[2].expect("it starts");
    (last.node, last.start)
}

#[test]
fn each_scheduler_weighs_loads_as_its_rule_says() {
    // A load takes 10 s. FCFS never waits for a file, LEA up to 500 times that, EFT up to it.
    for (name, near, far) in [
        ("fcfs", (2, 2), (2, 2)),
        ("eft", (1, 9), (2, 2)),
        ("lea", (1, 9), (1, 200)),
        ("leo", (2, 2), (2, 2)),
        ("lem", (1, 9), (2, 2)),
        ("gradual", (1, 9), (2, 2)),
    ] {
        assert_eq!(choice(name, 9), near, "{name}, free at 9");
        assert_eq!(choice(name, 200), far, "{name}, free at 200");
    }
}

#[test]
fn the_lowest_of_equal_nodes_is_taken() {
    for policy in POLICIES {
        let all = outcomes(2, policy.name, &[(0, 99, 30, 1, Some(0)), (0, 99, 30, 1, None)]);
        assert_eq!(all[0].node, 0, "{}", policy.name);
    }
}

#[test]
fn mixed_waits_for_files_when_every_node_runs() {
    // The first node has a core free at 50 and runs on; the file is on the second, until 400.
    let lines = [
        (0, 50, 50, 1, None),
        (0, 500, 500, 1, None),
        (0, 400, 400, 2, Some(1)),
        (1, 99, 9, 1, Some(1)),
    ];
    for (name, node, start) in
        [("fcfs", 0, 50), ("eft", 0, 50), ("leo", 0, 50), ("lea", 1, 400), ("lem", 1, 400)]
    {
        let last = outcomes(2, name, &lines)[3];
        assert_eq!((last.node, last.start), (node, start), "{name}");
    }
    // Once the first node is idle, LEM takes it, and LEA still waits.
    let idle = [(0, 50, 50, 2, None), lines[2], lines[3]];
    assert_eq!(outcomes(2, "lem", &idle)[2].node, 0);
    assert_eq!(outcomes(2, "lea", &idle)[2].node, 1);
}

#[test]
fn a_node_with_files_of_others_costs_their_loads() {
    // Both nodes have a core free now and none has the file; the first holds another's file.
    let lines = [(0, 99, 50, 1, Some(0)), (0, 99, 50, 1, Some(1))];
    assert_eq!(outcomes(2, "eft", &lines)[1].node, 0);
    assert_eq!(outcomes(2, "lea", &lines)[1].node, 1);
}

/// What holds of every run: no core of a node is used twice at a time, no job starts before it is
/// submitted, or ends later than its walltime allows.
fn check(cluster: &Cluster, workload: &Workload, run: &Run, name: &str) {
    let mut changes: Vec<Vec<(i64, i64)>> = vec![Vec::new(); cluster.nodes as usize];
    for (job, outcome) in workload.jobs.iter().zip(&run.outcomes) {
        let Some(outcome) = outcome else { continue };
        assert!(outcome.start >= job.submit, "{name}, job {}", job.id);
        let took = outcome.transfer + outcome.wait + job.duration;
        assert_eq!(outcome.end, outcome.start + took.min(job.walltime), "{name}, job {}", job.id);
        let cores = i64::from(job.cores);
        changes[outcome.node as usize].extend([(outcome.start, cores), (outcome.end, -cores)]);
    }
    for changes in &mut changes {
        changes.sort_unstable();
        let mut used = 0;
        for &(time, change) in &*changes {
            used += change;
            assert!(used <= i64::from(cluster.cores), "{name}: {used} cores at {time}");
        }
    }
}

#[test]
fn no_core_is_used_twice_and_runs_repeat() {
    let cluster = Cluster { nodes: 6, ..Cluster::default() };
    for load in [0.7, 1.2] {
        let shape = Shape { jobs: 1500, load, seed: 3, ..Shape::default() };
        let workload = generate(&cluster, shape).expect("a workload");
        assert_eq!(workload, generate(&cluster, shape).expect("a workload"), "the same seed");
        for policy in POLICIES {
            for (backfill, rules) in
                [(false, Rules::Text), (true, Rules::Text), (false, Rules::Published)]
            {
                let options = Options { policy, backfill, rules, weight: 500.0, interval: 0 };
                let run = simulate(&cluster, &workload, options);
                let name = format!("{} {backfill} {rules:?}", policy.name);
                check(&cluster, &workload, &run, &name);
                let measured = measure(&cluster, &workload, &run);
                assert_eq!(measured.len(), workload.evaluated().count(), "{name}");
                let again = simulate(&cluster, &workload, options);
                assert_eq!(run.outcomes, again.outcomes, "{name}");
            }
        }
    }
}

#[test]
fn wide_jobs_and_shared_file_systems_keep_to_the_cores_and_repeat() {
    for (shared, seed) in [(None, 1), (Some(0.2), 2), (Some(0.05), 3)] {
        let cluster = Cluster { nodes: 6, shared, ..Cluster::default() };
        let shape =
            Shape { jobs: 700, load: 1.1, wide: 0.2, output: 0.3, seed, ..Shape::default() };
        let workload = generate(&cluster, shape).expect("a workload");
        assert!(workload.jobs.iter().any(|job| job.nodes > 1));
        for policy in POLICIES {
            for backfill in [false, true] {
                let options =
                    Options { policy, backfill, rules: Rules::Text, weight: 500.0, interval: 0 };
                let run = simulate(&cluster, &workload, options);
                let name = format!("{} {backfill} {shared:?}", policy.name);
                let mut changes: Vec<(i64, i64)> = Vec::new();
                for (job, outcome) in workload.jobs.iter().zip(&run.outcomes) {
                    let Some(outcome) = outcome else { continue };
                    let taken = outcome.end - outcome.start;
                    assert!(
                        outcome.start >= job.submit && taken <= job.walltime,
                        "{name}: {job:?}"
                    );
                    let computes = job.duration.min(job.walltime);
                    let has_waited = outcome.transfer + outcome.wait;
                    assert!(taken >= computes.min(job.walltime - has_waited), "{name}: {job:?}");
                    let cores = job.all_cores() as i64;
                    changes.extend([(outcome.start, cores), (outcome.end, -cores)]);
                }
                changes.sort_unstable();
                let mut busy = 0;
                for (_, change) in changes {
                    busy += change;
                    assert!(busy <= cluster.all_cores() as i64, "{name}");
                }
                let again = simulate(&cluster, &workload, options);
                assert_eq!(run.outcomes, again.outcomes, "{name}");
                let measured = measure(&cluster, &workload, &run);
                assert_eq!(measured.len(), workload.evaluated().count(), "{name}");
            }
        }
    }
}

#[test]
fn generated_work_offers_the_load_that_is_asked_for() {
    let cluster = Cluster { nodes: 20, ..Cluster::default() };
    let workload =
        generate(&cluster, Shape { jobs: 4000, load: 0.9, ..Shape::default() }).expect("one");
    let work = |job: &Job| job.duration.min(job.walltime) * i64::from(job.cores);
    let offered: i64 = workload.jobs.iter().map(work).sum();
    let load = offered as f64 / (20.0 * 20.0 * 9.0 * 86_400.0);
    assert!((load - 0.9).abs() < 0.01, "{load}");
    let per_file = workload.jobs.len() as f64 / workload.files.len() as f64;
    assert!((8.0..20.0).contains(&per_file), "{per_file}");
    let few = Shape { jobs: 10, load: 1.0, ..Shape::default() };
    assert!(generate(&cluster, few).is_err_and(|why| why.contains("draw more jobs")));
}

#[test]
fn metrics_are_those_of_hand() {
    let lines = [(0, 99, 30, 2, Some(0)), (10, 99, 20, 2, None), (500, 99, 10, 1, None)];
    let (cluster, workload) = (cluster(1), workload(&lines));
    let run = simulate(&cluster, &workload, options("fcfs", false));
    let measured = measure(&cluster, &workload, &run);
    // The first runs to 40, alone and with its load; the second waits for 30 s and takes 20.
    let stretches: Vec<f64> = measured.iter().map(|job| job.stretch).collect();
    assert_eq!(stretches, [1.0, 2.5, 1.0]);
    assert_eq!(measured[1].bounded_stretch, 50.0 / 300.0);
    let summary = summary(&measured);
    assert_eq!((summary.jobs, summary.sessions, summary.reuses), (3, 2, 2));
    assert_eq!(summary.core_seconds, 2 * 40 + 2 * 20 + 10);
    assert_eq!((summary.queue.0, summary.queue.1), (10.0, 30));
    assert_eq!(session_stretches(&measured)[&0], (3.5, 2));
    let mut other = measured.clone();
    other[1].stretch = 0.75;
    let comparison = compare(&measured, &other);
    assert_eq!((comparison.ratios, comparison.differing), (vec![2.0], 0.5));
    assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.25), 1.5);
}

#[test]
fn generated_logs_are_read_again_as_they_were() {
    let cluster = Cluster { nodes: 20, ..Cluster::default() };
    let drawn =
        generate(&cluster, Shape { jobs: 2000, load: 0.5, ..Shape::default() }).expect("one");
    let mut text = Vec::new();
    write_native(&drawn, &mut text).expect("memory takes all");
    let read = read_native(std::str::from_utf8(&text).expect("UTF-8")).expect("a log");
    for (job, other) in drawn.jobs.iter().zip(&read.jobs) {
        let (user, file) = (&drawn.users[job.user as usize], &read.users[other.user as usize]);
        assert_eq!(user, file);
        let same = Job { user: job.user, file: job.file, ..other.clone() };
        assert_eq!(same, *job);
    }
    let killed = drawn.jobs.iter().filter(|job| job.duration >= job.walltime).count();
    assert!((10..60).contains(&killed), "{killed} of 2000");
}

#[test]
fn what_happens_between_passes_is_seen_in_the_next() {
    let lines = [(1, 99, 10, 2, None), (7, 99, 10, 2, None), (70, 99, 10, 2, None)];
    let starts = |rules| {
        let options = Options { interval: 30, rules, ..options("fcfs", false) };
        let run = simulate(&cluster(1), &workload(&lines), options);
        run.outcomes.iter().map(|o| o.map(|o| o.start)).collect::<Vec<_>>()
    };
    assert_eq!(starts(Rules::Text), [Some(30), Some(60), Some(90)]);
    // The published program looks only at what happens in those very seconds.
    assert_eq!(starts(Rules::Published), [None, None, None]);
}
