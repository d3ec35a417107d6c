//! The Gantt chart: what each worker did when, and how the phases overlapped.

use super::Panel;
use super::axis::{duration, marks, thousands, unit};
use super::columns::Columns;
use super::groups::{Group, Groups};
use super::svg::{Svg, escaped, px};
use crate::trace::{Outcome, TaskRecord, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "gantt",
    summary: "tasks of each worker over time, coloured by phase, with its idle share",
    draw: gantt,
};

/// Width of the time axis in pixels.
const CHART: f64 = 1000.0;
/// Where the time axis starts.
const LEFT: f64 = 150.0;
/// Where what stands to its right starts.
const RIGHT: f64 = LEFT + CHART + 12.0;
const WIDTH: f64 = RIGHT + 114.0;
/// Where the first phase stands.
const TOP: f64 = 88.0;
/// Height of the bar of a phase, and from one to the next.
const BAR: f64 = 14.0;
const BAR_STEP: f64 = 19.0;
/// Most rectangles of single tasks.
const MOST_RECTANGLES: usize = 3000;
/// About the most pixel columns over all workers.
const MOST_COLUMNS: f64 = 10_000.0;

const STYLE: &str = "text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#222}\
 .h{font-size:17px;font-weight:600}.q{fill:#666}.e{text-anchor:end}.m{text-anchor:middle}\
 .n{font-size:11px;pointer-events:none}.d{fill:#222}.w{fill:#fff}.g{stroke:#ddd}\
 .s{stroke:#fff;stroke-width:.6}.r{fill:#f3f3f3}.i{fill:#bbb}.b{opacity:.28}\
 .f{stroke:#000;stroke-width:2}.k{opacity:.35}";

/// Draws `trace` as a document of its own: for each phase when it ran and how many workers it
/// kept busy, and for each worker its tasks and its idle share.
///
/// Where no phase is named, codelets take their place. Tasks too narrow to be seen, and those
/// beyond some thousands, are merged: the figure says so, and stays small.
#[must_use]
pub fn gantt(trace: &Trace) -> String {
    let chart = Chart::new(trace);
    let mut svg = Svg::default();
    chart.head(&mut svg);
    chart.phases(&mut svg);
    chart.marks(&mut svg);
    for worker in 0..trace.workers {
        chart.worker(&mut svg, worker);
    }
    chart.caption(&mut svg);
    let colours = chart.groups.list.iter().enumerate();
    let colours = colours.map(|(i, group)| format!(".c{i}{{fill:{}}}", group.colour));
    svg.finish((WIDTH, chart.bottom() + 62.0), &(STYLE.to_owned() + &colours.collect::<String>()))
}

/// What the parts of the figure share.
struct Chart<'a> {
    trace: &'a Trace,
    groups: Groups,
    /// End of the last task in nanoseconds.
    span: u64,
    /// Indices of the records of each worker.
    rows: Vec<Vec<usize>>,
    /// Height of a worker's row, and how many rows share a label.
    row: f64,
    rows_per_label: usize,
    /// Width of a pixel column.
    column: f64,
    /// Tasks no wider than this are merged.
    narrow: f64,
}

impl<'a> Chart<'a> {
    fn new(trace: &'a Trace) -> Self {
        let workers = trace.workers.max(1) as f64;
        let mut rows = vec![Vec::new(); trace.workers];
        for (index, record) in trace.records.iter().enumerate() {
            rows[record.worker].push(index);
        }
        let is_small = trace.records.len() <= MOST_RECTANGLES;
        let column = if is_small { 1.0 } else { (workers * CHART / MOST_COLUMNS).ceil() };
        let row = (640.0 / workers).floor().clamp(3.0, 30.0);
        let mut chart = Self {
            trace,
            groups: Groups::of(trace),
            span: trace.records.iter().map(|record| record.end).max().unwrap_or(0),
            rows,
            row,
            rows_per_label: (13.0 / row).ceil() as usize,
            column,
            narrow: 0.0,
        };
        chart.narrow = chart.narrow();
        chart
    }

    /// Two columns, or more where that would leave too many rectangles.
    fn narrow(&self) -> f64 {
        let mut widths: Vec<f64> =
            self.trace.records.iter().map(|record| self.width(record)).collect();
        if widths.len() <= MOST_RECTANGLES {
            return 2.0 * self.column;
        }
        let (_, &mut next, _) =
            widths.select_nth_unstable_by(MOST_RECTANGLES, |a, b| b.total_cmp(a));
        next.max(2.0 * self.column)
    }

    /// Pixels from the start of the axis.
    fn x(&self, nanoseconds: u64) -> f64 {
        nanoseconds as f64 / self.span.max(1) as f64 * CHART
    }

    fn width(&self, record: &TaskRecord) -> f64 {
        self.x(record.end - record.start)
    }

    fn is_merged(&self, record: &TaskRecord) -> bool {
        self.width(record) <= self.narrow
    }

    /// Where the first worker stands.
    fn first_row(&self) -> f64 {
        TOP + BAR_STEP * self.groups.list.len() as f64 + 26.0
    }

    /// Where the last worker ends.
    fn bottom(&self) -> f64 {
        self.first_row() + self.row * self.trace.workers as f64
    }

    fn head(&self, svg: &mut Svg) {
        let (tasks, workers) = (self.trace.records.len(), self.trace.workers);
        let title = format!(
            "{} {} on {} {} in {}",
            thousands(tasks),
            if tasks == 1 { "task" } else { "tasks" },
            thousands(workers),
            if workers == 1 { "worker" } else { "workers" },
            duration(self.span)
        );
        svg.text((20.0, 32.0), "h", &title);
        let total = self.span.max(1) as f64 * workers.max(1) as f64;
        let busy: u64 = self.groups.list.iter().map(|group| group.busy).sum();
        let shares: Vec<String> = [Outcome::Failed, Outcome::Skipped]
            .into_iter()
            .map(|outcome| {
                (outcome, self.trace.records.iter().filter(|r| r.outcome == outcome).count())
            })
            .filter(|&(_, count)| count > 0)
            .map(|(outcome, count)| format!("; {} {}", thousands(count), word(outcome)))
            .collect();
        let idle = percent(1.0 - busy as f64 / total);
        svg.text((20.0, 53.0), "q", &format!("workers idle {idle} of the time{}", shares.concat()));
        svg.text((LEFT, TOP - 8.0), "q", "workers busy with each, from its first task to its last");
        svg.text((RIGHT, TOP - 8.0), "q", "share of work");
    }

    /// For each group a bar from its first task to its last, as high as it keeps workers busy.
    fn phases(&self, svg: &mut Svg) {
        let mut columns = Columns::new(CHART, 1.0, self.groups.list.len());
        for (record, &group) in self.trace.records.iter().zip(&self.groups.of) {
            columns.add(group, self.x(record.start), self.x(record.end));
        }
        let work: u64 = self.groups.list.iter().map(|group| group.busy).sum();
        for (i, group) in self.groups.list.iter().enumerate() {
            let y = TOP + BAR_STEP * i as f64;
            let share = percent(group.busy as f64 / work as f64);
            let (from, to) = (self.x(group.span.0), self.x(group.span.1));
            svg.line(format_args!(
                "<g class=\"c{i}\"><title>{}</title>",
                escaped(&self.describe(group, &share))
            ));
            svg.line(format_args!("<rect x=\"20\" y=\"{}\" width=\"10\" height=\"10\"/>", y + 2.0));
            let size = format!("width=\"{}\" height=\"{BAR}\"", px((to - from).max(1.5)));
            svg.line(format_args!(
                "<rect x=\"{}\" y=\"{y}\" {size} class=\"b\"/>",
                px(LEFT + from)
            ));
            let area = columns.area(&columns.shares(i..i + 1, self.trace.workers as f64), BAR);
            svg.line(format_args!("<path transform=\"translate({LEFT} {y})\" d=\"{area}\"/>"));
            svg.text((36.0, y + 11.0), "", &group.name);
            svg.text((RIGHT + 50.0, y + 11.0), "e", &share);
            svg.line(format_args!("</g>"));
        }
    }

    fn describe(&self, group: &Group, share: &str) -> String {
        let Group { name, tasks, busy, span, .. } = group;
        let (tasks, busy) = (thousands(*tasks), duration(*busy));
        let (from, to) = (duration(span.0), duration(span.1));
        format!("{name}: tasks {tasks}, work {busy} ({share}), from {from} to {to}")
    }

    /// Lines across the workers at round times, labelled below.
    fn marks(&self, svg: &mut Svg) {
        let (top, bottom, unit) = (self.first_row(), self.bottom(), unit(self.span));
        svg.text((RIGHT + 50.0, top - 8.0), "e q", "idle");
        for mark in marks(self.span, unit) {
            let x = px(LEFT + mark.at / self.span.max(1) as f64 * CHART);
            svg.line(format_args!("<path d=\"M{x} {}V{}\" class=\"g\"/>", top - 4.0, bottom + 4.0));
            svg.text((x, bottom + 18.0), "m q", &mark.label);
        }
        svg.text((RIGHT, bottom + 18.0), "q", unit.symbol);
    }

    /// One row: merged tasks below, single ones above them, the idle share at the right.
    fn worker(&self, svg: &mut Svg, worker: usize) {
        let y = self.first_row() + self.row * worker as f64;
        let records = &self.rows[worker];
        let busy: u64 =
            records.iter().map(|&i| self.trace.records[i].end - self.trace.records[i].start).sum();
        let idle = 1.0 - busy as f64 / self.span.max(1) as f64;
        let is_labelled = worker.is_multiple_of(self.rows_per_label);
        let height = self.row - if self.row > 16.0 { 3.0 } else { self.row / 8.0 };
        let about =
            format!("worker {worker}: tasks {}, idle {}", thousands(records.len()), percent(idle));
        svg.line(format_args!("<g class=\"worker\"><title>{}</title>", escaped(&about)));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>"
        ));
        self.merged(svg, worker, (y, height));
        for &i in records.iter().filter(|&&i| !self.is_merged(&self.trace.records[i])) {
            self.task(svg, &self.trace.records[i], self.groups.of[i], (y, height));
        }
        let middle = y + height / 2.0 + 4.0;
        for (class, share) in [("r", 1.0), ("i", idle)] {
            svg.rect((RIGHT + 56.0, y), (38.0 * share, height), class, &about);
        }
        if is_labelled {
            svg.text((LEFT - 10.0, middle), "e", &format!("worker {worker}"));
            svg.text((RIGHT + 50.0, middle), "e", &percent(idle));
        }
        svg.line(format_args!("</g>"));
    }

    /// The narrow tasks of one worker, as stacked shares of columns.
    fn merged(&self, svg: &mut Svg, worker: usize, (y, height): (f64, f64)) {
        let count = self.groups.list.len();
        let mut columns = Columns::new(CHART, self.column, count.max(1));
        for &i in &self.rows[worker] {
            let record = &self.trace.records[i];
            let (start, end) = (self.x(record.start), self.x(record.end));
            if self.is_merged(record) {
                columns.add(self.groups.of[i], start, end);
            } else {
                columns.hide(start, end);
            }
        }
        // The sums of all groups up to one, the last first: each covers what the next leaves.
        for i in (0..count).rev().filter(|&i| columns.has(i)) {
            let area = columns.area(&columns.shares(0..i + 1, 1.0), height);
            svg.line(format_args!(
                "<path transform=\"translate({LEFT} {y})\" class=\"c{i}\" d=\"{area}\"/>"
            ));
        }
    }

    /// One task as a rectangle, with its name in it if there is room.
    fn task(&self, svg: &mut Svg, record: &TaskRecord, group: usize, (y, height): (f64, f64)) {
        let (x, width) = (LEFT + self.x(record.start), self.width(record));
        let mut class = format!("c{group}");
        if width > 6.0 {
            class.push_str(" s");
        }
        match record.outcome {
            Outcome::Done => {}
            Outcome::Failed => class.push_str(" f"),
            Outcome::Skipped => class.push_str(" k"),
        }
        svg.rect((x, y), (width, height), &class, &self.describe_task(record));
        let room = 7.0 * record.codelet.chars().count() as f64 + 6.0;
        if width > room && height >= 14.0 {
            let ink = if self.groups.list[group].is_light { "n m d" } else { "n m w" };
            svg.text((x + width / 2.0, y + height / 2.0 + 4.0), ink, record.codelet);
        }
    }

    fn describe_task(&self, record: &TaskRecord) -> String {
        let TaskRecord { codelet, task, start, end, outcome, .. } = *record;
        let (from, to, took) = (duration(start), duration(end), duration(end - start));
        let phase = if self.groups.by == "phase" { self.trace.phase_of(record) } else { "" };
        let comma = if phase.is_empty() { "" } else { ", " };
        format!("{codelet}, task {task}{comma}{phase}: {from} to {to} ({took}), {}", word(outcome))
    }

    fn caption(&self, svg: &mut Svg) {
        let merged = self.trace.records.iter().filter(|record| self.is_merged(record)).count();
        let all = self.trace.records.len();
        let y = self.bottom() + 42.0;
        if all == 0 {
            svg.text((LEFT, y), "q", "No task was recorded.");
            return;
        }
        if merged == 0 {
            svg.text((LEFT, y), "q", "Each rectangle is a task; its name and times show on hover.");
            return;
        }
        let which = if merged == all {
            "Tasks are".to_owned()
        } else {
            format!("{} of {} tasks, the shortest, are", thousands(merged), thousands(all))
        };
        let width = if self.column > 1.0 {
            format!("{} pixels", self.column)
        } else {
            "one pixel".to_owned()
        };
        svg.text((LEFT, y), "q", &format!(
            "{which} merged: in each column of {width}, the height of a colour is the share of the time that its tasks take."
        ));
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Skipped => "skipped",
    }
}

/// `share` as a percentage; that of nothing is nothing.
fn percent(share: f64) -> String {
    match 100.0 * share {
        some if some >= 0.05 => format!("{some:.1} %"),
        some if some > 1e-9 => "< 0.1 %".to_owned(),
        _ => "0 %".to_owned(),
    }
}
