//! Figures of simulated runs: well-formed, complete, and small however many tasks there are.

mod checks;
mod cluster;
mod order;
mod plain;
mod synthetic;

use checks::{check_well_formed, faults_of_text};
use cluster::{Node, PLAIN, lu};
use synthetic::{cholesky, cholesky_over};

use super::*;
use crate::Progression;
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_runtime::trace::{
    ContextRecords, JobRecord, Outcome, Records, ResizeRecord, Site, TaskRecord, WorkerMove,
};

/// A kernel that only has a cost.
macro_rules! kernel {
    ($type:ident, $name:literal, $access:expr, $flops:literal) => {
        #[derive(Clone, Copy)]
        struct $type;

        impl Codelet for $type {
            const NAME: &'static str = $name;
            const ACCESS: &'static [Access] = $access;
            fn cost(&self) -> Cost {
                Cost { flops: $flops * TILE_FLOPS, bytes: 0.0 }
            }
            fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    };
}

/// Cube of the order of a tile.
const TILE_FLOPS: f64 = 320.0 * 320.0 * 320.0;

kernel!(Generate, "covariance", &[Access::W], 2.0);
kernel!(Potrf, "potrf", &[Access::RW], 0.33);
kernel!(Trsm, "trsm", &[Access::R, Access::RW], 1.0);
kernel!(Syrk, "syrk", &[Access::R, Access::RW], 1.0);
kernel!(Gemm, "gemm", &[Access::R, Access::R, Access::RW], 2.0);
kernel!(Trsv, "trsv", &[Access::R, Access::RW], 0.01);
kernel!(Gemv, "gemv", &[Access::R, Access::R, Access::RW], 0.02);

/// A simulated likelihood on `nt x nt` tiles: generation, Cholesky, solve.
fn likelihood(nt: usize, workers: usize, named: bool) -> Trace {
    let model = WorkerModel { gflops: 40.0, gbytes_per_second: 10.0, overhead_seconds: 1e-6 };
    let policy = policy("prio").expect("is listed");
    let sim = Sim::new(SimOptions::new(Machine::cores(workers), vec![model], policy));
    let mut flow = Flow::new(sim, FlowOptions::default());
    let phase = |flow: &mut Flow, name| {
        if named {
            flow.phase(name);
        }
    };
    let tiles: Vec<Handle> = (0..nt * nt).map(|_| flow.register(8)).collect();
    let tile = |i: usize, j: usize| tiles[i + j * nt];
    phase(&mut flow, "generation");
    for i in 0..nt {
        for j in 0..=i {
            flow.submit(Generate, &[(tile(i, j), Access::W)], (3 * nt - (i + j) / 2) as i32);
        }
    }
    phase(&mut flow, "factorization");
    for k in 0..nt {
        let priority = |less: usize| 3 * (nt - k) as i32 - less as i32;
        flow.submit(Potrf, &[(tile(k, k), Access::RW)], priority(0));
        for i in k + 1..nt {
            let accesses = [(tile(k, k), Access::R), (tile(i, k), Access::RW)];
            flow.submit(Trsm, &accesses, priority(i - k));
        }
        for i in k + 1..nt {
            flow.submit(
                Syrk,
                &[(tile(i, k), Access::R), (tile(i, i), Access::RW)],
                priority(i - k),
            );
            for j in k + 1..i {
                let accesses =
                    [(tile(i, k), Access::R), (tile(j, k), Access::R), (tile(i, j), Access::RW)];
                flow.submit(Gemm, &accesses, priority(i + j - 2 * k));
            }
        }
    }
    phase(&mut flow, "solve");
    let x: Vec<Handle> = (0..nt).map(|_| flow.register(8)).collect();
    for k in 0..nt {
        flow.submit(Trsv, &[(tile(k, k), Access::R), (x[k], Access::RW)], 2 * (nt - k) as i32);
        for i in k + 1..nt {
            let accesses = [(tile(i, k), Access::R), (x[k], Access::R), (x[i], Access::RW)];
            flow.submit(Gemv, &accesses, 2 * (nt - k) as i32);
        }
    }
    flow.take_trace()
}

/// The Gantt chart of `trace` over its own time.
fn drawn(trace: &Trace) -> String {
    gantt(trace, trace.span())
}

/// A small cluster of unequal nodes, and what it ran.
fn unequal() -> Trace {
    let fast = Node { devices: 2, ..PLAIN };
    lu(10, &[PLAIN, fast, PLAIN, fast], &[0, 1, 1, 1, 2, 3, 3, 3])
}

/// The same in scheduling contexts, between which workers moved.
fn in_contexts() -> Trace {
    let mut trace = unequal();
    let jobs = ["all", "odd", "even"].map(str::to_owned);
    let job = |(context, name): (usize, &String)| JobRecord { name: name.clone(), context };
    let middle = trace.span() / 2;
    let moved = |worker, left, joined| WorkerMove { worker, left, joined };
    let first = (0..trace.workers).map(|worker| moved(worker, 0, 1 + worker % 2)).collect();
    let resize = |time, trigger, moved| {
        let policy = "feft";
        ResizeRecord { time, trigger, policy, decision: 40_000, moved }
    };
    trace.contexts = ContextRecords {
        names: jobs.to_vec(),
        jobs: jobs.iter().enumerate().map(job).collect(),
        resizes: vec![
            resize(0, "created", first),
            resize(middle, "idle", vec![moved(0, 1, 2), moved(2, 1, 2)]),
        ],
    };
    for record in &mut trace.records {
        record.job = 1 + (record.worker % 2) as u16;
    }
    trace
}

/// Traces of every size: none, one, a few, some hundred, tens of thousands; few and many workers.
fn traces() -> Vec<(String, Trace)> {
    let sizes = [(1, 1), (3, 2), (10, 4), (20, 70), (50, 8), (50, 200)];
    let mut traces = vec![
        ("nothing".to_owned(), Trace::new(Records::default(), Site::default(), &[])),
        ("idle".to_owned(), Trace::new(Records::default(), Site::cores(3), &["none"])),
    ];
    for (nt, workers) in sizes {
        for named in [true, false] {
            let name = format!(
                "{nt}-tiles-{workers}-workers-{}",
                if named { "phases" } else { "codelets" }
            );
            traces.push((name, likelihood(nt, workers, named)));
        }
    }
    for (nt, cpus, gpus) in [(1, 1, 0), (2, 2, 1), (6, 1, 2), (30, 20, 4), (60, 3, 1)] {
        traces.push((format!("{nt}-tiles-{cpus}-cpus-{gpus}-gpus"), cholesky(nt, cpus, gpus)));
    }
    for (nt, ranks) in [(4, 2), (20, 3), (40, 40)] {
        traces.push((format!("{nt}-tiles-{ranks}-ranks"), cholesky_over(nt, ranks)));
    }
    traces.push(("unequal nodes".to_owned(), unequal()));
    traces.push(("contexts".to_owned(), in_contexts()));
    traces.push(("long names".to_owned(), with_long_names()));
    traces
}

/// A trace whose names are as long as none should be.
fn with_long_names() -> Trace {
    let mut trace = cholesky(4, 3, 2);
    let long =
        "a very long name <that> nobody & \"nothing\" has room for, \u{fc}ber alles ".repeat(3);
    let names = [&mut trace.site.workers, &mut trace.site.classes, &mut trace.site.memories];
    names.into_iter().flatten().for_each(|name| *name = long.clone());
    trace.phases =
        vec!["a phase with a name that goes on and on", "another one, which does not end"];
    trace
}

#[test]
fn every_panel_draws_every_trace() {
    for (name, trace) in traces() {
        for panel in PANELS {
            let svg = (panel.draw)(&trace, trace.span());
            let elements =
                check_well_formed(&svg).unwrap_or_else(|e| panic!("{} of {name}: {e}", panel.name));
            assert!(elements > 2, "{} of {name} is empty", panel.name);
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{} of {name}", panel.name);
            let faults = faults_of_text(&svg);
            assert!(faults.is_empty(), "{} of {name}: {faults:?}", panel.name);
        }
    }
}

#[test]
fn panels_without_data_say_so_and_stay_out_of_the_report() {
    let empty = Trace::new(Records::default(), Site::default(), &[]);
    let full = in_contexts();
    for panel in PANELS {
        assert!(!(panel.has)(&empty) && (panel.has)(&full), "{}", panel.name);
    }
    assert_eq!(report(&empty, "none").matches("<svg").count(), 0);
    let several = ["aggregated", "progression", "contexts"];
    let of_one = |panel: &&Panel| (panel.has)(&cholesky(6, 2, 2)) == several.contains(&panel.name);
    assert_eq!(PANELS.iter().find(of_one).map(|panel| panel.name), None, "of one rank and context");
    assert_eq!(report(&full, "full").matches("<svg").count(), PANELS.len());
}

#[test]
fn a_report_stands_alone() {
    for (name, trace) in traces() {
        let page = report(&trace, "a <title> & \"more\"");
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{name}");
        assert!(page.contains("<h1>a &lt;title&gt; &amp; &quot;more&quot;</h1>"), "{name}");
        for outside in ["src=", "href=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(outside), "{name}: {outside}");
        }
        let elements = page.split_once("<html lang=\"en\">").expect("a root").1;
        let elements = elements.strip_suffix("</html>\n").expect("its end");
        let void =
            ["<meta charset=\"utf-8\">", "<meta name=\"viewport\" content=\"width=device-width\">"];
        let plain =
            void.iter().fold(elements.trim_start().to_owned(), |text, tag| text.replace(tag, ""));
        check_well_formed(&plain).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let page = report(&cholesky(6, 2, 2), "full");
    for word in [
        "balanced work",
        "critical path",
        "lateness",
        "makespan",
        "in the first 95 %",
        "prefetch",
        "gemm",
    ] {
        assert!(page.contains(word), "{word}");
    }
}

/// Both runs have all panels, over the time of the longer one, in classes of their own.
#[test]
fn runs_are_compared_on_one_axis() {
    let (mut short, mut long) = (unequal(), lu(11, &[PLAIN; 3], &[0, 1, 2]));
    let about = |value: &str| {
        vec![("policy".to_owned(), value.to_owned()), ("seed".to_owned(), "0".to_owned())]
    };
    (short.about, long.about) = (about("dmdas"), about("<lws>"));
    short.about.push(("abe_seconds".to_owned(), "0.5".to_owned()));
    let page = compare(&[("unequal", &short), ("long & \"equal\"", &long)], "two");
    let has = |trace: &Trace| PANELS.iter().filter(|panel| (panel.has)(trace)).count();
    assert_eq!(
        page.matches("<svg").count(),
        has(&short) + has(&long),
        "no order of other programs"
    );
    assert_eq!(page.matches(": nothing to show").count(), has(&short) - has(&long), "transfers");
    for word in ["<td>policy</td><td class=\"n\">dmdas</td><td class=\"n\">&lt;lws&gt;</td>", "ABE"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert!(
        !page.contains("<td>seed</td>") && !page.contains("(CPB)"),
        "neither differs nor is known"
    );
    for panel in ["gantt", "ready"] {
        let start = |place: usize| {
            format!("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tegula-{panel}-{place}\"")
        };
        let last = |place: usize| {
            let figure =
                page.split(&start(place)).nth(1).and_then(|rest| rest.split("</svg>").next());
            let marks = figure.expect("a figure").split("class=\"m q\">").skip(1);
            marks.last().and_then(|rest| rest.split('<').next()).expect("a mark").to_owned()
        };
        assert_eq!(last(0), last(1), "{panel}: the last time on the axis");
        assert!(page.contains(&format!(".tegula-{panel}-1 .bg")), "{panel}");
    }
}

/// A picture of the order of each run beside that of the first, if they run the same tasks.
#[test]
fn runs_of_one_program_are_compared_by_their_order() {
    let first = trace_of(&["a"; 40], 1000);
    let mut second = first.clone();
    let [one, other] = [3, 9].map(|task| (first.records[task].start, first.records[task].end));
    for (task, (start, end)) in [(3, other), (9, one)] {
        (second.records[task].start, second.records[task].end) = (start, end);
    }
    let words = |other: &Trace, run: &str| {
        let page = compare(&[("first", &first), (run, other)], "two");
        let svg = page.split("<svg").find(|svg| svg.contains("class=\"tegula-places\""))?;
        let line = svg.split("class=\"q\">").nth(1)?;
        Some(line.split('<').next()?.to_owned())
    };
    assert_eq!(
        words(&second, "second").as_deref(),
        Some("2 of 40 tasks start at another place, the last of them number 10 of first")
    );
    assert_eq!(words(&first, "again").as_deref(), Some("0 of 40 tasks start at another place"));
    let mut late = trace_of(&["b"; 5], 1000);
    late.records.extend(first.records.iter().map(|record| {
        let (start, end) = (record.start + 5000, record.end + 5000);
        TaskRecord { task: record.task + 5, start, end, ..*record }
    }));
    let none = "0 of 40 tasks start at another place";
    assert_eq!(words(&late, "late").as_deref(), Some(none), "tasks of one run alone do not count");
    assert_eq!(words(&trace_of(&["b"; 40], 1000), "other"), None, "no task in common");
}

#[test]
fn limits_and_unusual_tasks_are_shown() {
    let svg = drawn(&cholesky(12, 2, 1));
    assert!(svg.contains(">balanced work ") && svg.contains(">critical path "), "both are known");
    assert!(svg.contains("Not pale: "), "one task in a hundred takes longer");
    let svg = drawn(&trace_of(&["a"; 40], 1000));
    assert!(
        svg.contains(">balanced work ")
            && !svg.contains(">critical path ")
            && !svg.contains("Not pale")
    );
}

#[test]
fn figures_of_many_tasks_are_small() {
    let trace = cholesky(80, 30, 4);
    assert!(trace.records.len() > 80_000 && trace.transfers.len() > 10_000);
    for panel in PANELS {
        let size = (panel.draw)(&trace, trace.span()).len();
        assert!(size < 600_000, "{}: {size} bytes", panel.name);
    }
}

#[test]
fn every_worker_and_phase_is_there() {
    for (nt, workers) in [(3, 2), (50, 8), (20, 70)] {
        let trace = likelihood(nt, workers, true);
        let svg = drawn(&trace);
        assert_eq!(svg.matches("<g class=\"worker\">").count(), workers);
        for worker in 0..workers {
            assert!(
                svg.contains(&format!("<title>{}: ", trace.worker_name(worker))),
                "worker {worker} of {workers}"
            );
        }
        for phase in ["generation", "factorization", "solve"] {
            assert!(svg.contains(&format!("<title>{phase}: ")), "{phase}");
        }
    }
}

#[test]
fn every_rank_has_a_row_of_messages() {
    let trace = cholesky_over(12, 3);
    let svg = drawn(&trace);
    assert!(svg.contains(" on 6 workers of 3 ranks in "), "the head");
    assert_eq!(svg.matches("<g class=\"messages\">").count(), 3);
    let order = ["rank 0 worker 1", "rank 0 messages", "rank 1 worker 0", "rank 2 messages"];
    let places = order.map(|name| svg.find(&format!("<title>{name}: ")).expect(name));
    assert!(places.is_sorted(), "{places:?}");
    assert!(!drawn(&cholesky(12, 6, 0)).contains("essages"), "one rank has none");
    let page = report(&trace, "ranks");
    for word in
        ["<h2>Messages</h2>", "0 \u{2192} 1", "messages overlapped", "clocks of ranks agree"]
    {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn few_tasks_are_drawn_one_by_one() {
    let trace = likelihood(3, 2, true);
    let svg = drawn(&trace);
    for record in
        trace.records.iter().filter(|record| record.codelet != "trsv" && record.codelet != "gemv")
    {
        let title = format!(
            "<title>{}, task {}, {}: ",
            record.codelet,
            record.task,
            trace.phase_of(record)
        );
        assert_eq!(svg.matches(&title).count(), 1, "{title}");
    }
    let all_equal = trace_of(&["a"; 40], 1000);
    assert_eq!(drawn(&all_equal).matches(", task ").count(), 40);
    assert!(drawn(&all_equal).contains("Each rectangle is a task"));
}

#[test]
fn many_tasks_are_merged_and_said() {
    let trace = likelihood(50, 8, true);
    assert!(trace.records.len() > 22_100, "{}", trace.records.len());
    let svg = drawn(&trace);
    assert!(svg.contains(" merged: in each column of one pixel"), "the caption");
    for trace in [trace, likelihood(50, 200, false), trace_of(&["a"; 100_000], 1000)] {
        let size = drawn(&trace).len();
        assert!(size < 1_000_000, "{size} bytes for {} tasks", trace.records.len());
    }
}

#[test]
fn more_codelets_than_colours_are_gathered() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    assert!(!drawn(&trace_of(&names, 1000)).contains("others"));
    let more = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "a", "b", "c", "d", "e", "f", "g"];
    let svg = drawn(&trace_of(&more, 1000));
    assert!(svg.contains("<title>2 others: tasks 2"), "h and i have the least work");
    assert!(svg.contains("<title>h, task 7: "), "each keeps its name");
}

#[test]
fn names_and_failures_are_written_out() {
    let mut trace = trace_of(&["a<b>&\"c\"", "plain"], 1000);
    trace.records[0].outcome = Outcome::Failed;
    trace.records[1].outcome = Outcome::Skipped;
    let svg = drawn(&trace);
    check_well_formed(&svg).expect("names are escaped");
    assert!(svg.contains("a&lt;b&gt;&amp;&quot;c&quot;, task 0: 0 ns to 1.000 \u{b5}s"));
    assert!(svg.contains("; 1 failed; 1 skipped"));
}

/// One task after the other on one worker, each of `length` nanoseconds.
fn trace_of(codelets: &[&'static str], length: u64) -> Trace {
    let record = |(i, &codelet): (usize, &&'static str)| TaskRecord {
        iteration: 0,
        spot: None,
        after: 0,
        task: i as u64,
        codelet,
        phase: 0,
        job: 0,
        worker: 0,
        priority: 0,
        start: i as u64 * length,
        end: (i as u64 + 1) * length,
        outcome: Outcome::Done,
    };
    let tasks = codelets.iter().enumerate().map(record).collect();
    Trace::new(Records { tasks, ..Records::default() }, Site::cores(1), &["none"])
}

/// A node that is slower than its share of the work allows: named in the progression from the first
/// group on, and busy to the end in its band.
#[test]
fn a_slow_node_is_seen() {
    let slow = Node { slowness: 1.5, ..PLAIN };
    let trace = lu(16, &[PLAIN, PLAIN, slow, PLAIN, PLAIN], &[0, 1, 2, 3, 4]);
    let last = &Progression::of(&trace).steps(trace.makespan(), 20, 0.01)[9].clusters;
    assert_eq!(last[0].ranks, [2], "{last:?}");
    let svg = progression(&trace, trace.span());
    assert!(svg.contains("class=\"m name\">2</text>"), "its name");
    assert!(
        svg.contains("balanced work ") && svg.contains("class=\"possible\""),
        "what could have been"
    );
    let svg = aggregated(&trace, trace.span());
    assert_eq!(svg.matches("<g class=\"band\">").count(), 5);
    let two = lu(12, &[PLAIN, slow], &[0, 1]);
    let svg = progression(&two, two.span());
    assert!(svg.contains("class=\"m name\">1</text>"), "of groups as large, the one behind");
    let svg = aggregated(&unequal(), unequal().span());
    assert!(svg.contains("rank 1, gpu: 2 workers"), "two devices, each with a class of its own");
}

#[test]
fn large_clusters_fit_their_figures() {
    let node = Node { cores: 2, devices: 1, ..PLAIN };
    let turns: Vec<u16> = (0..100).collect();
    let trace = lu(24, &[node; 100], &turns);
    for panel in [aggregated::PANEL, progression::PANEL] {
        let svg = (panel.draw)(&trace, trace.span());
        let faults = faults_of_text(&svg);
        assert!(faults.is_empty() && svg.len() < 900_000, "{}: {faults:?}", panel.name);
    }
    let svg = aggregated(&trace, trace.span());
    assert_eq!(svg.matches("<g class=\"band\">").count(), 200);
    let huge = cholesky_over(20, 300);
    let svg = aggregated(&huge, huge.span());
    assert_eq!(svg.matches("<g class=\"band\">").count(), 150, "two ranks share a band");
    assert!(svg.contains("<title>rank 298\u{2013}299, cpu: 4 workers, "), "the last of them");
}
