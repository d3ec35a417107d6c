//! One page about a trace: its numbers and every panel that it has data for, in a file
//! that needs no other.

use super::PANELS;
use super::axis::{bytes, duration, thousands};
use crate::{
    ClassUse, CodeletTime, CriticalPath, balanced_seconds, bounds_seconds, codelet_times, energy,
    idle_share, overlaps, pair_totals, route_totals, settings, uncertainty_seconds, utilisation,
};
use tegula_figures::html::{figure, page, section, sentence};
use tegula_figures::svg::escaped;
use tegula_runtime::trace::Trace;

/// Most rows of a table: the rest is summed up.
const MOST_ROWS: usize = 16;
/// Most routes of the table of transfers, each with its purposes.
const MOST_ROUTES: usize = 48;

/// What the numbers of the summary are.
const NUMBERS: &str = "\
<p class=\"q\">Balanced work: what all tasks would take if they were divided among the classes of workers as \
well as can be, with the mean times of this run; a class that ran none of a codelet counts as unable to. \
Critical path: from the task that ended last back to a first one, each time to the predecessor that \
ended last, or to what the program itself had waited for, with the times of this run. Overlap of messages: the share of the time in which any was in flight \
in which a worker of its receiver ran a task. Neither is a bound for other runs; bounds, where they are \
known, are of the mean times of the platform.</p>\n";

/// A page about `trace` under `title`, as HTML that refers to nothing outside it.
#[must_use]
pub fn report(trace: &Trace, title: &str) -> String {
    let mut body = about(trace);
    body += &format!("<p class=\"q\">{}</p>\n<div class=\"tables\">\n", escaped(&machine(trace)));
    body += &section("Summary", 2, &summary(trace));
    body += &section("Codelets", 1, &codelets(trace));
    body += &section("Transfers", 2, &routes(trace));
    body += &section("Messages", 1, &pairs(trace));
    body += "</div>\n";
    body += NUMBERS;
    for panel in PANELS.iter().filter(|panel| (panel.has)(trace)) {
        body += &figure(&(panel.draw)(trace, trace.span()), &sentence(panel.summary));
    }
    page(title, &body)
}

/// What was run, in a paragraph; nothing if the trace does not say.
fn about(trace: &Trace) -> String {
    let pairs: Vec<String> = settings(trace).map(|(key, value)| format!("{key} {value}")).collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!("<p>{}</p>\n", escaped(&pairs.join("; "))),
    }
}

/// The workers and memories in one line.
fn machine(trace: &Trace) -> String {
    let class = |usage: ClassUse| format!("{} {}", thousands(usage.workers), usage.class);
    let workers: Vec<String> = utilisation(trace).into_iter().map(class).collect();
    let memory = |(number, name): (usize, &String)| {
        let capacity = trace.site.capacities.get(number).copied().flatten();
        capacity.map_or(name.clone(), |capacity| format!("{name} ({})", bytes(capacity as f64)))
    };
    let memories: Vec<String> = trace.site.memories.iter().enumerate().map(memory).collect();
    let workers = if workers.is_empty() { "none".to_owned() } else { workers.join(", ") };
    match memories.len() {
        0 => format!("Workers: {workers}"),
        _ => format!("Workers: {workers}; memories: {}", memories.join(", ")),
    }
}

/// Labels and values.
fn summary(trace: &Trace) -> Vec<Vec<String>> {
    let makespan = trace.makespan_seconds();
    let time = |seconds: f64| duration((1e9 * seconds) as u64);
    let share = |seconds: f64| {
        let percent = if makespan > 0.0 { 100.0 * seconds / makespan } else { 0.0 };
        format!("{} ({percent:.1} % of the makespan)", time(seconds))
    };
    let mut rows = vec![
        Vec::new(),
        vec!["makespan".to_owned(), time(makespan)],
        vec!["tasks".to_owned(), thousands(trace.records.len())],
        vec!["workers idle".to_owned(), format!("{:.1} % of the time", 100.0 * idle_share(trace))],
    ];
    if let Some((joules, seconds)) = energy(trace) {
        let mean = joules / seconds.max(1e-9);
        rows.push(vec!["energy".to_owned(), format!("{joules:.1} J, {mean:.1} W in the mean")]);
    }
    for usage in utilisation(trace).into_iter().take(MOST_ROWS) {
        let (whole, early) = (100.0 * usage.utilisation, 100.0 * usage.early_utilisation);
        let text = format!("{whole:.1} %; {early:.1} % in the first 95 % of the makespan");
        rows.push(vec![format!("{} busy", usage.class), text]);
    }
    if let Some(share) = overlaps(trace).1.share() {
        let text = format!("{:.1} % of the time in flight", 100.0 * share);
        rows.push(vec!["messages overlapped".to_owned(), text]);
    }
    if let Some(off) = uncertainty_seconds(trace).filter(|&off| off > 0.0) {
        let text = format!("within {}", time(off));
        rows.push(vec!["clocks of ranks agree".to_owned(), text]);
    }
    let bounds = bounds_seconds(trace).into_iter();
    rows.extend(bounds.map(|(name, bound)| vec![name.to_owned(), share(bound)]));
    if let Some(balanced) = balanced_seconds(trace) {
        rows.push(vec!["balanced work".to_owned(), share(balanced)]);
    }
    if let Some(path) = CriticalPath::of(trace) {
        rows.push(vec!["critical path".to_owned(), share(path.seconds)]);
        rows.push(vec!["lateness on it".to_owned(), share(path.late_seconds)]);
        rows.push(vec!["before its first task".to_owned(), share(path.start_seconds)]);
    }
    rows
}

/// Tasks, work and mean durations of each codelet.
fn codelets(trace: &Trace) -> Vec<Vec<String>> {
    let times = codelet_times(trace);
    let classes = trace.classes().0;
    let shown = classes.len().min(4);
    let mut head = ["codelet", "tasks", "share of work"].map(str::to_owned).to_vec();
    head.extend(classes[..shown].iter().map(|class| format!("mean on {class}")));
    let work: f64 = times.iter().map(|time| time.busy_seconds).sum();
    let row = |time: &CodeletTime| {
        let share = if work > 0.0 { 100.0 * time.busy_seconds / work } else { 0.0 };
        let tasks = thousands(time.tasks as usize);
        let mut row = vec![time.codelet.to_owned(), tasks, format!("{share:.1} %")];
        let mean = |&(tasks, seconds): &(u64, f64)| match tasks {
            0 => "none ran".to_owned(),
            tasks => duration((1e9 * seconds / tasks as f64) as u64),
        };
        row.extend(time.classes[..shown].iter().map(mean));
        row
    };
    let mut rows = vec![head];
    rows.extend(times.iter().take(MOST_ROWS).map(row));
    if times.len() > MOST_ROWS {
        let tasks = times[MOST_ROWS..].iter().map(|time| time.tasks as usize).sum();
        let name = format!("{} others", times.len() - MOST_ROWS);
        rows.push(vec![name, thousands(tasks)]);
    }
    rows
}

/// What moved on each route, and why.
fn routes(trace: &Trace) -> Vec<Vec<String>> {
    let mut totals = route_totals(trace);
    totals.sort_by_key(|total| std::cmp::Reverse(total.bytes));
    let mut rows = vec![["route", "purpose", "transfers", "bytes"].map(str::to_owned).to_vec()];
    rows.extend(totals.iter().take(MOST_ROUTES).map(|total| {
        let (src, dst) = (trace.memory_name(total.src), trace.memory_name(total.dst));
        vec![
            format!("{src} \u{2192} {dst}"),
            total.purpose.name().to_owned(),
            thousands(total.transfers as usize),
            bytes(total.bytes as f64),
        ]
    }));
    if totals.len() > MOST_ROUTES {
        let moved: u64 = totals[MOST_ROUTES..].iter().map(|total| total.bytes).sum();
        let name = format!("{} others", totals.len() - MOST_ROUTES);
        rows.push(vec![name, String::new(), String::new(), bytes(moved as f64)]);
    }
    rows
}

/// What went from which rank to which.
fn pairs(trace: &Trace) -> Vec<Vec<String>> {
    let mut totals = pair_totals(trace);
    totals.sort_by_key(|total| std::cmp::Reverse(total.bytes));
    let head = ["ranks", "messages", "bytes", "mean", "rate", "overlap"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(totals.iter().take(MOST_ROUTES).map(|total| {
        let share = |share: f64| format!("{:.1} %", 100.0 * share);
        vec![
            format!("{} \u{2192} {}", total.from, total.to),
            thousands(total.messages as usize),
            bytes(total.bytes as f64),
            duration((1e9 * total.mean_seconds()) as u64),
            total.bandwidth().map_or_else(String::new, |rate| format!("{}/s", bytes(rate))),
            total.overlap.share().map_or_else(String::new, share),
        ]
    }));
    if totals.len() > MOST_ROUTES {
        let sent: u64 = totals[MOST_ROUTES..].iter().map(|total| total.bytes).sum();
        let name = format!("{} others", totals.len() - MOST_ROUTES);
        rows.push(vec![name, String::new(), bytes(sent as f64)]);
    }
    rows
}
