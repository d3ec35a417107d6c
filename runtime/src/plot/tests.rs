//! Figures of simulated runs: well-formed, complete, and small however many tasks there are.

mod checks;
mod synthetic;

use checks::{check_well_formed, faults_of_text};
use synthetic::{cholesky, cholesky_over};

use super::*;
use crate::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use crate::platform::{Machine, WorkerModel};
use crate::sched::policy;
use crate::sim::{Sim, SimOptions};
use crate::trace::{Outcome, Records, Site, TaskRecord};

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
    for panel in PANELS {
        for (name, trace) in traces() {
            let svg = (panel.draw)(&trace);
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
    let full = cholesky(6, 2, 2);
    for panel in PANELS {
        assert!(!(panel.has)(&empty) && (panel.has)(&full), "{}", panel.name);
    }
    assert_eq!(report(&empty, "none").matches("<svg").count(), 0);
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

#[test]
fn limits_and_unusual_tasks_are_shown() {
    let svg = gantt(&cholesky(12, 2, 1));
    assert!(svg.contains(">balanced work ") && svg.contains(">critical path "), "both are known");
    assert!(svg.contains("Not pale: "), "one task in a hundred takes longer");
    let svg = gantt(&trace_of(&["a"; 40], 1000));
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
        let size = (panel.draw)(&trace).len();
        assert!(size < 600_000, "{}: {size} bytes", panel.name);
    }
}

#[test]
fn every_worker_and_phase_is_there() {
    for (nt, workers) in [(3, 2), (50, 8), (20, 70)] {
        let trace = likelihood(nt, workers, true);
        let svg = gantt(&trace);
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
    let svg = gantt(&trace);
    assert!(svg.contains(" on 6 workers of 3 ranks in "), "the head");
    assert_eq!(svg.matches("<g class=\"messages\">").count(), 3);
    let order = ["rank 0 worker 1", "rank 0 messages", "rank 1 worker 0", "rank 2 messages"];
    let places = order.map(|name| svg.find(&format!("<title>{name}: ")).expect(name));
    assert!(places.is_sorted(), "{places:?}");
    assert!(!gantt(&cholesky(12, 6, 0)).contains("essages"), "one rank has none");
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
    let svg = gantt(&trace);
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
    assert_eq!(gantt(&all_equal).matches(", task ").count(), 40);
    assert!(gantt(&all_equal).contains("Each rectangle is a task"));
}

#[test]
fn many_tasks_are_merged_and_said() {
    let trace = likelihood(50, 8, true);
    assert!(trace.records.len() > 22_100, "{}", trace.records.len());
    let svg = gantt(&trace);
    assert!(svg.contains(" merged: in each column of one pixel"), "the caption");
    for trace in [trace, likelihood(50, 200, false), trace_of(&["a"; 100_000], 1000)] {
        let size = gantt(&trace).len();
        assert!(size < 1_000_000, "{size} bytes for {} tasks", trace.records.len());
    }
}

#[test]
fn more_codelets_than_colours_are_gathered() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    assert!(!gantt(&trace_of(&names, 1000)).contains("others"));
    let more = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "a", "b", "c", "d", "e", "f", "g"];
    let svg = gantt(&trace_of(&more, 1000));
    assert!(svg.contains("<title>2 others: tasks 2"), "h and i have the least work");
    assert!(svg.contains("<title>h, task 7: "), "each keeps its name");
}

#[test]
fn names_and_failures_are_written_out() {
    let mut trace = trace_of(&["a<b>&\"c\"", "plain"], 1000);
    trace.records[0].outcome = Outcome::Failed;
    trace.records[1].outcome = Outcome::Skipped;
    let svg = gantt(&trace);
    check_well_formed(&svg).expect("names are escaped");
    assert!(svg.contains("a&lt;b&gt;&amp;&quot;c&quot;, task 0: 0 ns to 1.000 \u{b5}s"));
    assert!(svg.contains("; 1 failed; 1 skipped"));
}

/// One task after the other on one worker, each of `length` nanoseconds.
fn trace_of(codelets: &[&'static str], length: u64) -> Trace {
    let record = |(i, &codelet): (usize, &&'static str)| TaskRecord {
        iteration: 0,
        after: 0,
        task: i as u64,
        codelet,
        phase: 0,
        worker: 0,
        priority: 0,
        start: i as u64 * length,
        end: (i as u64 + 1) * length,
        outcome: Outcome::Done,
    };
    let tasks = codelets.iter().enumerate().map(record).collect();
    Trace::new(Records { tasks, ..Records::default() }, Site::cores(1), &["none"])
}
