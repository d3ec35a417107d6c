//! A trace in words: what was run, how long, how busy, what took the time, what moved, and what
//! ranks have sent each other.

use tegula_runtime::trace::Trace;
use tegula_traces::{
    Cluster, CodeletTime, CriticalPath, PROGRESS_BANDWIDTH, Progression, balanced_seconds,
    bounds_seconds, codelet_times, idle_share, overlaps, pair_totals, route_totals, settings,
    uncertainty_seconds, utilisation,
};

use crate::output::{Align, Console, Table, bytes, count, energy, percent, ranges, seconds};

/// Most rows of a table.
const MOST_ROWS: usize = 24;

/// Most groups of ranks that are listed.
const MOST_GROUPS: usize = 5;

/// Prints the summary of `trace`.
pub(super) fn print(console: &Console, trace: &Trace) {
    about(console, trace);
    let makespan = trace.makespan_seconds();
    let tasks = count(trace.records.len(), "task");
    let workers = count(trace.workers, "worker");
    let ranks = match trace.site.rank_count() {
        1 => String::new(),
        several => format!(" of {}", count(several, "rank")),
    };
    console.field("trace", format_args!("{tasks} on {workers}{ranks}"));
    console.field("makespan", seconds(makespan));
    if let Some((joules, seconds)) = tegula_traces::energy(trace) {
        console.field("energy", energy(joules, seconds));
    }
    console.field("idle", format_args!("{} of the workers' time", percent(idle_share(trace))));
    limits(console, trace);
    progress(console, trace);
    messages(console, trace);
    if trace.records.is_empty() {
        return;
    }
    let routes = (!trace.transfers.is_empty()).then(|| routes(trace));
    let pairs = (!trace.messages.is_empty()).then(|| pairs(trace));
    for table in [classes(trace), codelets(trace)].into_iter().chain(routes).chain(pairs) {
        console.line(format_args!("\n{table}"));
    }
}

/// Prints what was run, and below what no run of it can be, as far as the trace says.
fn about(console: &Console, trace: &Trace) {
    let (command, settings): (Vec<_>, Vec<_>) =
        settings(trace).partition(|(key, _)| *key == "command");
    command.into_iter().for_each(|(key, value)| console.field(key, value));
    let pairs: Vec<String> = settings.iter().map(|(key, value)| format!("{key} {value}")).collect();
    if !pairs.is_empty() {
        console.field("run", pairs.join(", "));
    }
    let bounds = bounds_seconds(trace).into_iter();
    let bounds: Vec<String> =
        bounds.map(|(name, bound)| format!("{name} {}", seconds(bound))).collect();
    if !bounds.is_empty() {
        console.field("bounds", format_args!("{}, by the platform's times", bounds.join(", ")));
    }
}

/// Prints what the makespan may be compared with. None of it is a bound for other runs.
fn limits(console: &Console, trace: &Trace) {
    let makespan = trace.makespan_seconds();
    let share = |time: f64| {
        format!("{} ({} of the makespan)", seconds(time), percent(time / makespan.max(1e-12)))
    };
    if let Some(balanced) = balanced_seconds(trace) {
        console.field(
            "balanced",
            format_args!(
                "{}: all work divided as well as can be among the classes that ran it, by the mean \
                 times of this run",
                share(balanced)
            ),
        );
    }
    if let Some(path) = CriticalPath::of(trace) {
        let tasks = count(path.tasks.len(), "task");
        console.field(
            "path",
            format_args!(
                "{}: critical path of this run, {tasks}, each after the one it waited for last",
                share(path.seconds)
            ),
        );
        console.field(
            "lateness",
            format_args!(
                "{} between tasks of that path, {} before the first",
                share(path.late_seconds),
                seconds(path.start_seconds)
            ),
        );
    }
}

/// Prints how far which ranks were with their own work at half of the time, if not all alike.
fn progress(console: &Console, trace: &Trace) {
    let half = Progression::of(trace).steps(trace.makespan(), 2, PROGRESS_BANDWIDTH).swap_remove(0);
    let groups = half.clusters.len();
    if groups < 2 {
        return;
    }
    let show = |group: &Cluster| {
        let ranks = if group.ranks.len() == 1 { "rank" } else { "ranks" };
        format!("{ranks} {}: {}", ranges(&group.ranks), percent(group.share))
    };
    let shown = half.clusters.iter().take(MOST_GROUPS).map(show).collect::<Vec<_>>().join("; ");
    let more = match groups.saturating_sub(MOST_GROUPS) {
        0 => String::new(),
        more => format!("; and {}", count(more, "other group")),
    };
    console
        .field("progress", format_args!("at half of the time, of their own work: {shown}{more}"));
}

/// Prints what ranks have sent each other, how much of its time they computed in, and how well
/// their clocks agree.
fn messages(console: &Console, trace: &Trace) {
    if !trace.messages.is_empty() {
        let sent: u64 = trace.messages.iter().map(|message| message.bytes).sum();
        let all = overlaps(trace).1;
        let number = count(trace.messages.len(), "message");
        console.field("messages", format_args!("{number} between ranks, {}", bytes(sent as f64)));
        if let Some(share) = all.share() {
            let (share, flight) = (percent(share), seconds(all.flight_seconds));
            console.field(
                "overlap",
                format_args!(
                    "{share} of the time in which messages were in flight to a rank, {flight} over all, it \
                     ran a task"
                ),
            );
        }
    }
    let Some(off) = uncertainty_seconds(trace) else { return };
    let early = trace.messages.iter().map(|message| message.advance()).max().unwrap_or(0);
    if off == 0.0 {
        return console.field("clocks", "one for all ranks");
    }
    let early = match early {
        0 => "no message came before it was sent".to_owned(),
        early => {
            format!("a message came up to {} before it was sent", seconds(1e-9 * early as f64))
        }
    };
    let off = seconds(off);
    console.field("clocks", format_args!("those of ranks agree within {off}; {early}"));
}

/// What went from which rank to which.
fn pairs(trace: &Trace) -> Table {
    let mut table = Table::new(&[
        ("from", Align::Left),
        ("to", Align::Left),
        ("messages", Align::Right),
        ("bytes", Align::Right),
        ("mean", Align::Right),
        ("per second", Align::Right),
        ("overlap", Align::Right),
    ]);
    let mut totals = pair_totals(trace);
    totals.sort_by_key(|total| std::cmp::Reverse(total.bytes));
    let unknown = || "-".to_owned();
    for total in totals.iter().take(MOST_ROWS) {
        table.row(vec![
            format!("rank {}", total.from),
            format!("rank {}", total.to),
            total.messages.to_string(),
            bytes(total.bytes as f64),
            seconds(total.mean_seconds()),
            total.bandwidth().map_or_else(unknown, bytes),
            total.overlap.share().map_or_else(unknown, percent),
        ]);
    }
    table
}

/// How busy each class was.
fn classes(trace: &Trace) -> Table {
    let mut table = Table::new(&[
        ("class", Align::Left),
        ("workers", Align::Right),
        ("busy", Align::Right),
        ("in the first 95 %", Align::Right),
    ]);
    for usage in utilisation(trace).into_iter().take(MOST_ROWS) {
        let (busy, early) = (percent(usage.utilisation), percent(usage.early_utilisation));
        table.row(vec![usage.class, usage.workers.to_string(), busy, early]);
    }
    table
}

/// Tasks and mean durations of each codelet.
fn codelets(trace: &Trace) -> Table {
    let (times, classes) = (codelet_times(trace), trace.classes().0);
    let classes = &classes[..classes.len().min(4)];
    let means: Vec<String> = classes.iter().map(|class| format!("mean on {class}")).collect();
    let mut columns =
        vec![("codelet", Align::Left), ("tasks", Align::Right), ("work", Align::Right)];
    columns.extend(means.iter().map(|mean| (mean.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    let work: f64 = times.iter().map(|time| time.busy_seconds).sum();
    let mean = |&(tasks, time): &(u64, f64)| match tasks {
        0 => "-".to_owned(),
        tasks => seconds(time / tasks as f64),
    };
    for time in times.iter().take(MOST_ROWS) {
        let CodeletTime { codelet, tasks, busy_seconds, .. } = time;
        let share = percent(busy_seconds / work.max(1e-12));
        let mut row = vec![(*codelet).to_owned(), tasks.to_string(), share];
        row.extend(time.classes.iter().take(classes.len()).map(mean));
        table.row(row);
    }
    table
}

/// What moved where, and why.
fn routes(trace: &Trace) -> Table {
    let mut table = Table::new(&[
        ("from", Align::Left),
        ("to", Align::Left),
        ("purpose", Align::Left),
        ("transfers", Align::Right),
        ("bytes", Align::Right),
    ]);
    let mut totals = route_totals(trace);
    totals.sort_by_key(|total| std::cmp::Reverse(total.bytes));
    for total in totals.iter().take(MOST_ROWS) {
        table.row(vec![
            trace.memory_name(total.src),
            trace.memory_name(total.dst),
            total.purpose.name().to_owned(),
            total.transfers.to_string(),
            bytes(total.bytes as f64),
        ]);
    }
    table
}
