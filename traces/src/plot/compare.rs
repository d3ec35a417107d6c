//! One page about several traces: their numbers in one table, each panel of all of them on one time
//! axis, and where the tasks of the first stand in the order of the others.

use super::axis::{bytes, duration, thousands};
use super::places::places;
use super::{PANELS, Panel};
use crate::{CriticalPath, balanced_seconds, bounds_seconds, idle_share, overlaps, utilisation};
use tegula_figures::html::{figure, page, section, sentence};
use tegula_figures::svg::escaped;
use tegula_runtime::trace::Trace;

/// A trace with its name.
pub type Run<'a> = (&'a str, &'a Trace);

/// What the numbers of the table are.
const NUMBERS: &str = "\
<p class=\"q\">Balanced work and critical path follow from the times of each run by itself; bounds, where a trace \
tells them, from the mean times of its platform. Utilisation: the share of the workers' time until the makespan, \
or until 95 % of it, that they spent in tasks. All figures have the time axis of the longest run.</p>\n";

/// A page about `runs` under `title`, as HTML that refers to nothing outside it: in what settings
/// they differ, their numbers, and for each panel those of all runs that have data for it, one
/// below the other; then the order of each run against that of the first.
#[must_use]
pub fn compare(runs: &[Run<'_>], title: &str) -> String {
    let mut body = String::from("<div class=\"tables\">\n");
    body += &section("Numbers", 1, &numbers(runs));
    body += &section("Settings that differ", 1, &settings(runs));
    body += "</div>\n";
    body += NUMBERS;
    let span = runs.iter().map(|(_, trace)| trace.span()).max().unwrap_or(0);
    for panel in PANELS.iter().filter(|panel| runs.iter().any(|(_, trace)| (panel.has)(trace))) {
        body += &format!("<h2>{}</h2>\n", escaped(&sentence(panel.summary)));
        for (place, (name, trace)) in runs.iter().enumerate() {
            body += &match (panel.has)(trace) {
                true => figure(&drawn(panel, trace, span, place), name),
                false => format!("<p class=\"q\">{}: nothing to show</p>\n", escaped(name)),
            };
        }
    }
    body += &orders(runs);
    page(title, &body)
}

/// The order of each run but the first against that of the first, as far as they run the same
/// tasks.
fn orders(runs: &[Run<'_>]) -> String {
    let Some((&first, others)) = runs.split_first() else { return String::new() };
    let figures: String =
        others.iter().filter_map(|&run| Some(figure(&places(first, run)?, run.0))).collect();
    let head = format!("<h2>Order of the tasks against that of {}</h2>\n", escaped(first.0));
    if figures.is_empty() { figures } else { head + &figures }
}

/// The panel of the run at `place`. On a page, rules of style hold for all figures of their class,
/// so that each run has classes of its own.
fn drawn(panel: &Panel, trace: &Trace, span: u64, place: usize) -> String {
    let class = format!("tegula-{}", panel.name);
    (panel.draw)(trace, span).replace(&class, &format!("{class}-{place}"))
}

/// A number of a run.
type Number = (&'static str, fn(&Trace) -> Option<String>);

/// The numbers, in the order of their rows.
const ROWS: &[Number] = &[
    ("makespan", |trace| Some(time(trace.makespan_seconds()))),
    ("area bound (ABE)", |trace| bound(trace, "ABE")),
    ("critical path bound (CPB)", |trace| bound(trace, "CPB")),
    ("balanced work", |trace| Some(time(balanced_seconds(trace)?))),
    ("critical path", |trace| Some(time(CriticalPath::of(trace)?.seconds))),
    ("utilisation", |trace| Some(percent(1.0 - idle_share(trace)))),
    ("utilisation, first 95 %", |trace| Some(percent(early(trace)))),
    ("idle", |trace| Some(percent(idle_share(trace)))),
    ("tasks", |trace| Some(thousands(trace.records.len()))),
    ("workers", |trace| Some(thousands(trace.workers))),
    ("ranks", |trace| Some(thousands(trace.rank_count()))),
    ("messages", |trace| Some(thousands(trace.messages.len()))),
    ("bytes of messages", |trace| Some(bytes(sum(trace.messages.iter().map(|m| m.bytes))))),
    ("messages overlapped", |trace| Some(percent(overlaps(trace).1.share()?))),
    ("transfers", |trace| Some(thousands(trace.transfers.len()))),
    ("bytes of transfers", |trace| Some(bytes(sum(trace.transfers.iter().map(|t| t.bytes))))),
];

/// A row for each number that any run has, a column for each run.
fn numbers(runs: &[Run<'_>]) -> Vec<Vec<String>> {
    let head =
        std::iter::once(String::new()).chain(runs.iter().map(|(name, _)| (*name).to_owned()));
    let row = |(name, of): &Number| {
        let cells: Vec<Option<String>> = runs.iter().map(|(_, trace)| of(trace)).collect();
        let is_known = cells.iter().any(Option::is_some);
        let cells = cells.into_iter().map(Option::unwrap_or_default);
        is_known.then(|| std::iter::once((*name).to_owned()).chain(cells).collect())
    };
    std::iter::once(head.collect()).chain(ROWS.iter().filter_map(row)).collect()
}

/// A row for each setting that is not the same in all runs, a column for each run.
fn settings(runs: &[Run<'_>]) -> Vec<Vec<String>> {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in runs.iter().flat_map(|(_, trace)| crate::settings(trace)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let value = |trace: &Trace, key: &str| {
        let own = crate::settings(trace).find(|(other, _)| *other == key);
        own.map_or_else(String::new, |(_, value)| value.to_owned())
    };
    let head =
        std::iter::once(String::new()).chain(runs.iter().map(|(name, _)| (*name).to_owned()));
    let row = |key: &str| -> Option<Vec<String>> {
        let values: Vec<String> = runs.iter().map(|(_, trace)| value(trace, key)).collect();
        let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
        differs.then(|| std::iter::once(key.to_owned()).chain(values).collect())
    };
    std::iter::once(head.collect()).chain(keys.into_iter().filter_map(row)).collect()
}

/// Share of the workers' time that they spent in tasks, until most of the makespan is over.
fn early(trace: &Trace) -> f64 {
    let busy = utilisation(trace).into_iter().map(|u| u.early_utilisation * u.workers as f64);
    busy.sum::<f64>() / trace.workers.max(1) as f64
}

/// The bound whose name has `word` in it.
fn bound(trace: &Trace, word: &str) -> Option<String> {
    let bounds = bounds_seconds(trace);
    bounds.into_iter().find(|(name, _)| name.contains(word)).map(|(_, seconds)| time(seconds))
}

fn sum(amounts: impl Iterator<Item = u64>) -> f64 {
    amounts.sum::<u64>() as f64
}

fn time(seconds: f64) -> String {
    duration((1e9 * seconds) as u64)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
