//! Metrics, tables and files for viewers of two small traces, `small.trace` and `over_ranks.trace`.

use std::io;

use tegula_runtime::trace::{Outcome, Purpose, Records, Site, TaskRecord, Trace};

use super::*;

/// Two CPUs and a GPU, each with tasks, transfers and samples; ends at 100.
fn small() -> Trace {
    read(include_str!("small.trace"))
}

/// Two ranks of one worker each, with messages both ways and one to nobody's clock.
fn over_ranks() -> Trace {
    read(include_str!("over_ranks.trace"))
}

fn read(text: &str) -> Trace {
    Trace::read(text.as_bytes()).expect("it is a trace")
}

/// What `write` writes of `trace`.
fn text_of(trace: &Trace, write: impl Fn(&Trace, &mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(trace, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("text")
}

/// Whatever digit of a file is changed: what can still be read can be analysed.
#[test]
fn broken_traces_do_no_harm() {
    for text in [include_str!("small.trace"), include_str!("over_ranks.trace")] {
        let digits = (0..text.len()).filter(|&place| text.as_bytes()[place].is_ascii_digit());
        for (place, digit) in digits.flat_map(|place| (b'0'..=b'9').map(move |c| (place, c))) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[place] = digit;
            let Ok(trace) = Trace::read(bytes.as_slice()) else { continue };
            let _ = (CriticalPath::of(&trace), balanced_seconds(&trace), utilisation(&trace));
            let _ = (pair_totals(&trace), overlaps(&trace));
            assert!(!text_of(&trace, |trace, out| write_perfetto(trace, out)).is_empty());
            assert!(!text_of(&trace, |trace, out| write_paje(trace, out)).is_empty());
        }
    }
}

/// A task `number` on a worker, after the one of the number `after` less one, from start to end.
pub(crate) fn task((task, worker, after, start, end): (u64, usize, u64, u64, u64)) -> TaskRecord {
    TaskRecord {
        task,
        codelet: "potrf",
        phase: 0,
        job: 0,
        worker,
        priority: 0,
        iteration: 0,
        spot: None,
        after,
        start,
        end,
        outcome: Outcome::Done,
    }
}

/// The critical path of these tasks: places and latenesses.
fn critical(tasks: &[(u64, usize, u64, u64, u64)]) -> (CriticalPath, Vec<(usize, Option<u64>)>) {
    let tasks = tasks.iter().copied().map(task).collect();
    let records = Records { tasks, ..Records::default() };
    let path = CriticalPath::of(&Trace::new(records, Site::cores(2), &["none"]));
    let path = path.expect("it is known");
    let jobs = path.tasks.iter().map(|task| (task.record, task.lateness)).collect();
    (path, jobs)
}

/// The program has waited after the second task and after the fifth.
#[test]
fn the_critical_path_goes_on_through_what_the_program_waited_for() {
    let tasks = [
        (0, 0, 0, 0, 10),
        (1, 1, 0, 5, 30),
        (2, 0, 2, 40, 50),
        (3, 1, 3, 50, 52),
        (4, 0, 2, 51, 53),
        (5, 1, 5, 60, 64),
    ];
    let (path, jobs) = critical(&tasks);
    assert_eq!(jobs, [(1, None), (4, Some(21)), (5, Some(7))]);
    assert!((path.start_seconds - 5e-9).abs() < 1e-18, "{}", path.start_seconds);
}

/// Over ranks, what the runtime adds has the number of the task that follows.
#[test]
fn the_critical_path_goes_through_tasks_that_share_a_number() {
    let (path, jobs) =
        critical(&[(4, 0, 0, 0, 20), (5, 1, 0, 0, 8), (6, 0, 5, 21, 22), (6, 0, 7, 25, 30)]);
    assert_eq!(jobs, [(0, None), (2, Some(1)), (3, Some(3))]);
    assert!((path.seconds - 26e-9).abs() < 1e-18, "{}", path.seconds);
}

#[test]
fn bounds_are_told_from_settings() {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let about = vec![
        pair("cpb_seconds", "0.5"),
        pair("seed", "0"),
        pair("abe_seconds", "none"),
        pair("energy_joules", "12.5"),
    ];
    let trace = Trace { about, ..small() };
    let makespan = trace.makespan_seconds();
    assert_eq!([energy(&trace), energy(&small())], [Some((12.5, makespan)), None]);
    let counted = [trace.about.clone(), vec![pair("energy_seconds", "2.5")]].concat();
    assert_eq!(energy(&Trace { about: counted, ..small() }), Some((12.5, 2.5)));
    assert_eq!(settings(&trace).collect::<Vec<_>>(), [("seed", "0")]);
    assert_eq!(bounds_seconds(&trace), [("critical path bound (CPB)", 0.5)]);
    assert_eq!(bounds_seconds(&Trace::default()), []);
}

#[test]
fn utilisation_is_time_in_tasks() {
    let uses = utilisation(&small());
    assert_eq!(uses.len(), 2);
    assert_eq!((uses[0].class.as_str(), uses[0].workers), ("cpu", 2));
    assert!((uses[0].utilisation - (10 + 18 + 60 + 5) as f64 / 200.0).abs() < 1e-12);
    assert!((uses[0].early_utilisation - (10 + 18 + 60) as f64 / 190.0).abs() < 1e-12);
    assert!((uses[1].utilisation - 0.2).abs() < 1e-12);
    assert!((uses[1].early_utilisation - 20.0 / 95.0).abs() < 1e-12);
    assert!((idle_share(&small()) - (1.0 - 113.0 / 300.0)).abs() < 1e-12);
    assert_eq!(utilisation(&Trace::default()), []);
}

#[test]
fn the_critical_path_is_walked_back_and_its_lateness_counted() {
    let path = CriticalPath::of(&small()).expect("predecessors are known");
    let jobs: Vec<(usize, Option<u64>)> =
        path.tasks.iter().map(|task| (task.record, task.lateness)).collect();
    // The order of records is that of starts: task 3 starts before task 2.
    assert_eq!(jobs, [(0, None), (1, Some(2)), (2, Some(0)), (4, Some(5))]);
    assert!((path.seconds - 93e-9).abs() < 1e-18, "{}", path.seconds);
    assert!((path.late_seconds - 7e-9).abs() < 1e-18);
    assert_eq!(path.start_seconds, 0.0);
    let mut unknown = small();
    unknown.records.iter_mut().for_each(|record| record.after = 0);
    assert_eq!(CriticalPath::of(&unknown), None);
    let mut circle = small();
    circle.records[0].after = 5;
    assert_eq!(CriticalPath::of(&circle).expect("known").tasks.len(), 4, "it ends");
}

#[test]
fn balanced_work_takes_mean_durations() {
    // potrf: 2 of 7.5 on a CPU alone; trsm: one of 18 there; gemm: 2, of 60 there or 20 on the GPU.
    // With x gemms on the GPU: 20 x = (33 + 60 (2 - x)) / 2, so x = 153 / 100.
    let bound = balanced_seconds(&small()).expect("tasks ran");
    assert!((bound - 30.6e-9).abs() < 1e-14, "{bound}");
    assert_eq!(balanced_seconds(&Trace::default()), None);
    // One class: sum over workers.
    let mut one = small();
    one.site.classes = vec!["cpu".to_owned(); 3];
    let bound = balanced_seconds(&one).expect("tasks ran");
    assert!((bound - 113e-9 / 3.0).abs() < 1e-14, "{bound}");
}

#[test]
fn bytes_are_summed_by_route_and_purpose() {
    let totals: Vec<(usize, usize, Purpose, u64, u64)> = route_totals(&small())
        .into_iter()
        .map(|total| (total.src, total.dst, total.purpose, total.transfers, total.bytes))
        .collect();
    let expected = [
        (0, 1, Purpose::Fetch, 2, 1600),
        (0, 1, Purpose::Prefetch, 1, 100),
        (1, 0, Purpose::WriteBack, 1, 800),
    ];
    assert_eq!(totals, expected);
}

#[test]
fn messages_are_summed_by_pair_and_their_overlap_found() {
    let trace = over_ranks();
    let pairs = pair_totals(&trace);
    let counts: Vec<_> = pairs.iter().map(|p| (p.from, p.to, p.messages, p.bytes)).collect();
    assert_eq!(counts, [(0, 1, 2, 2000), (1, 0, 2, 3007)]);
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-6 * expected;
    // From 21 to 29 and from 50 to 70; rank 1 computes from 30 to 60.
    let there = pairs[0];
    assert!(near(there.mean_seconds(), 14e-9), "{there:?}");
    assert!(near(there.overlap.flight_seconds, 28e-9) && near(there.overlap.busy_seconds, 10e-9));
    assert!(near(there.bandwidth().expect("it took time"), 2000.0 / 28e-9));
    // From 62 to 90, all of it under a task of rank 0; and one of which only the sender knows.
    let back = pairs[1].overlap;
    assert!(near(back.flight_seconds, 28e-9) && near(back.share().expect("known"), 1.0));
    let (each, all) = overlaps(&trace);
    assert!(near(all.flight_seconds, 56e-9) && near(all.share().expect("known"), 38.0 / 56.0));
    assert_eq!((each[0], each[1]), (back, there.overlap));
    assert!(near(uncertainty_seconds(&trace).expect("two ranks"), 3e-9));
    assert_eq!((pair_totals(&small()), uncertainty_seconds(&small())), (vec![], None));
    assert_eq!(overlaps(&small()).1.share(), None);
}

#[test]
fn viewers_get_messages() {
    let json = text_of(&over_ranks(), |trace, out| write_perfetto(trace, out));
    for name in ["\"rank 0\"", "\"rank 1\"", "\"sent\"", "\"received\"", "\"messenger\""] {
        assert!(json.contains(name), "{name} in {json}");
    }
    let count = |pattern: &str| json.matches(pattern).count();
    // Three tasks, four messages sent, three of them received, two polls; arrows where both ends
    // are known.
    assert_eq!(count("\"ph\":\"X\""), 3 + 4 + 3 + 2);
    assert_eq!((count("\"ph\":\"s\""), count("\"ph\":\"f\"")), (3, 3));
    let paje = text_of(&over_ranks(), |trace, out| write_paje(trace, out));
    assert!(paje.contains("\n7 0.000000021 L p \"datum 4\" n0 g0\n"), "{paje}");
    assert!(paje.contains("\n8 0.000000029 L p \"datum 4\" n1 g0\n"), "{paje}");
    assert!(paje.contains("\n5 0.000000020 Q n0 busy\n"), "{paje}");
}

#[test]
fn tables_of_messages_have_a_line_each() {
    let messages = text_of(&over_ranks(), |trace, out| write_messages(trace, out));
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(
        lines[1],
        "Inter-node,0.000021,0.000029,0.000008,mpicom_0,0,1,1000,4,2,-3,\
         0.000020,0.000021,0.000025,0.000005,0.000024,0.000029"
    );
    let fields = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == fields), "{messages}");
    let pairs = text_of(&over_ranks(), |trace, out| write_pairs(trace, out));
    assert!(pairs.contains("\n0,1,2,2000,0.000014,0.000028,71428571429,0.357143\n"), "{pairs}");
    let tasks = text_of(&over_ranks(), |trace, out| write_tasks(trace, out));
    assert!(tasks.contains("\n1_worker0,0.000030,0.000060,0.000030,trsm,1_1,0,none"), "{tasks}");
}

#[test]
fn tables_have_the_columns_of_starvz() {
    let tasks = text_of(&small(), |trace, out| write_tasks(trace, out));
    let lines: Vec<&str> = tasks.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[1], "0_CPU0,0.000000,0.000010,0.000010,potrf,0_0,0,a phase,,");
    assert!(tasks.contains("\"0_GPU,\"\"0\"\"\",0.000040"), "{tasks}");
    let transfers = text_of(&small(), |trace, out| write_transfers(trace, out));
    assert!(transfers.contains(
        "Intra-node TaskPreFetch,0.000045,0.000050,0.000005,com_2,0_MEM0,0_MEM1,100,9\n"
    ));
    let path = text_of(&small(), |trace, out| write_critical_path(trace, out));
    assert_eq!(path.lines().count(), 5);
    assert!(path.ends_with("0_4,0,0_CPU0,potrf,0.000095,0.000100,0.000005,0.000005\n"), "{path}");
    assert_eq!(text_of(&small(), |trace, out| write_messages(trace, out)).lines().count(), 1);
}

#[test]
fn viewers_get_transfers_and_counters() {
    let json = text_of(&small(), |trace, out| write_perfetto(trace, out));
    assert_eq!(json.matches("\"ph\":\"X\"").count(), 5);
    assert_eq!(json.matches("\"ph\":\"b\"").count(), 4);
    assert_eq!(json.matches("\"ph\":\"e\"").count(), 4);
    assert_eq!(json.matches("\"ph\":\"C\"").count(), 4);
    assert!(json.contains("\"name\":\"GPU, \\\"0\\\"\""), "{json}");
    let paje = text_of(&small(), |trace, out| write_paje(trace, out));
    assert_eq!(paje.matches("\n5 ").count(), 10);
    assert!(paje.contains("\n5 0.000000010 S w0 idle\n"), "{paje}");
    assert!(paje.contains("\n6 0.000000030 B m1 1600\n"), "{paje}");
    assert!(paje.contains("\n7 0.000000030 T p \"fetch\" m0 t0\n"), "{paje}");
    assert!(paje.contains("\n8 0.000000045 T p \"fetch\" m1 t1\n"), "{paje}");
    assert_eq!((paje.matches("\n7 ").count(), paje.matches("\n8 ").count()), (4, 4));
}
