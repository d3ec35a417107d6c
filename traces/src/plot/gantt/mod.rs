//! The Gantt chart: what each worker did when, how the phases overlapped, and when messages were on
//! their way.

mod messages;
mod phases;
mod workers;

use super::Panel;
use super::axis::{duration, marks, thousands, unit};
use super::groups::Groups;
use super::limits::{self, Limits};
use super::outliers::{Outliers, outliers};
use super::style::{CHART, LEFT, RIGHT, WIDTH, fills, rules, style};
use crate::idle_share;
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::{Outcome, TaskRecord, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "gantt",
    summary: "tasks of each worker over time, coloured by context, phase or codelet, with its idle share, and \
              messages of each rank",
    has: |trace| trace.workers > 0,
    draw: gantt,
};

/// Where the first phase stands.
const TOP: f64 = 88.0;
/// Height of the bar of a phase, and from one to the next.
const BAR: f64 = 14.0;
const BAR_STEP: f64 = 19.0;
/// Most rectangles of single tasks.
const MOST_RECTANGLES: usize = 3000;
/// About the most pixel columns over all workers.
const MOST_COLUMNS: f64 = 10_000.0;

/// Rules of this figure: bars behind areas, borders of tasks, failed, skipped and plain ones.
const RULES: &[(&str, &str)] = &[
    (".b", "opacity:.28"),
    (".s", "stroke:#fff;stroke-width:.6"),
    (".f", "stroke:#000;stroke-width:2"),
    (".k", "opacity:.35"),
    (".p", "opacity:.5"),
    (".in", "fill:#333"),
    (".out", "fill:#888"),
];
const DARK: &[(&str, &str)] = &[
    (".s", "stroke:#191a1c"),
    (".f", "stroke:#fff"),
    (".pale", "fill:#eee"),
    (".in", "fill:#eee"),
    (".out", "fill:#999"),
];

/// Draws `trace` as a document of its own, over `span` nanoseconds: for each phase when it ran and
/// how many workers it kept busy, and for each worker its tasks and its idle share. Over ranks, the
/// workers of each come together, with a row of its messages below them.
///
/// Lines stand at the balanced work and the critical path of the run, at bounds that the trace
/// tells, and in the rows of each of several ranks at the balanced work of that rank.
///
/// Where there are scheduling contexts, they take the place of phases; where no phase is named,
/// codelets do. Tasks too narrow to be seen, and those
/// beyond some thousands, are merged: the figure says so, and stays small.
#[must_use]
pub fn gantt(trace: &Trace, span: u64) -> String {
    let chart = Chart::new(trace, span);
    let mut svg = Svg::default();
    chart.head(&mut svg);
    chart.phases(&mut svg);
    chart.marks(&mut svg);
    for (number, line) in chart.lines.iter().enumerate() {
        match *line {
            Line::Worker(worker) => chart.worker(&mut svg, worker, number),
            Line::Messages(rank) => chart.messages(&mut svg, rank, number),
        }
    }
    chart.limits(&mut svg);
    chart.caption(&mut svg);
    let mut rules = rules(&[RULES, limits::RULES].concat());
    rules.extend(fills(chart.groups.colours()));
    let style = style("tegula-gantt", &rules, &[DARK, limits::DARK].concat());
    svg.finish("tegula-gantt", (WIDTH, chart.bottom() + chart.foot()), &style)
}

/// What a row shows.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// The tasks of a worker.
    Worker(usize),
    /// The messages of a rank.
    Messages(usize),
}

/// The rows of `trace`, rank by rank.
fn lines(trace: &Trace) -> Vec<Line> {
    let rank = |rank: usize| {
        let workers = (0..trace.workers).filter(move |&worker| trace.site.rank_of(worker) == rank);
        let messages = (!trace.messages.is_empty()).then_some(Line::Messages(rank));
        workers.map(Line::Worker).chain(messages)
    };
    (0..trace.rank_count()).flat_map(rank).collect()
}

/// What the parts of the figure share.
struct Chart<'a> {
    trace: &'a Trace,
    groups: Groups,
    /// End of the time axis in nanoseconds.
    span: u64,
    limits: Limits,
    /// Tasks that are unusually long.
    outliers: Outliers,
    /// Whether one of them is drawn as a task of its own.
    shows_outliers: bool,
    /// Indices of the records of each worker.
    rows: Vec<Vec<usize>>,
    /// What stands below what.
    lines: Vec<Line>,
    /// Height of a row, and how many rows share a label.
    row: f64,
    rows_per_label: usize,
    /// Width of a pixel column.
    column: f64,
    /// Tasks no wider than this are merged.
    narrow: f64,
}

impl<'a> Chart<'a> {
    fn new(trace: &'a Trace, span: u64) -> Self {
        let workers = trace.workers.max(1) as f64;
        let mut rows = vec![Vec::new(); trace.workers];
        for (index, record) in trace.records.iter().enumerate() {
            rows[record.worker].push(index);
        }
        let is_small = trace.records.len() <= MOST_RECTANGLES;
        let column = if is_small { 1.0 } else { (workers * CHART / MOST_COLUMNS).ceil() };
        let lines = lines(trace);
        let row = (640.0 / lines.len().max(1) as f64).floor().clamp(3.0, 30.0);
        let mut chart = Self {
            trace,
            groups: Groups::of(trace),
            span,
            limits: Limits::of_ranks(trace, span),
            outliers: outliers(trace),
            shows_outliers: false,
            rows,
            lines,
            row,
            rows_per_label: (13.0 / row).ceil() as usize,
            column,
            narrow: 0.0,
        };
        chart.narrow = chart.narrow();
        let is_shown = |(record, &is): (&TaskRecord, &bool)| is && !chart.is_merged(record);
        chart.shows_outliers = trace.records.iter().zip(&chart.outliers.is).any(is_shown);
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
        TOP + BAR_STEP * self.groups.list.len() as f64 + 26.0 + self.limits.height()
    }

    /// Where row `line` stands, and its height without the gap below it.
    fn place(&self, line: usize) -> (f64, f64) {
        let gap = if self.row > 16.0 { 3.0 } else { self.row / 8.0 };
        (self.first_row() + self.row * line as f64, self.row - gap)
    }

    /// Where the last row ends.
    fn bottom(&self) -> f64 {
        self.first_row() + self.row * self.lines.len() as f64
    }

    /// Room below the rows.
    fn foot(&self) -> f64 {
        if self.trace.messages.is_empty() { 78.0 } else { 94.0 }
    }

    fn head(&self, svg: &mut Svg) {
        let (tasks, workers) = (self.trace.records.len(), self.trace.workers);
        let ranks = match self.trace.site.rank_count() {
            1 => String::new(),
            ranks => format!(" of {} ranks", thousands(ranks)),
        };
        let title = format!(
            "{} {} on {} {}{ranks} in {}",
            thousands(tasks),
            if tasks == 1 { "task" } else { "tasks" },
            thousands(workers),
            if workers == 1 { "worker" } else { "workers" },
            duration(self.trace.makespan())
        );
        svg.text((20.0, 32.0), "h", &title);
        let shares: Vec<String> = [Outcome::Failed, Outcome::Skipped]
            .into_iter()
            .map(|outcome| {
                (outcome, self.trace.records.iter().filter(|r| r.outcome == outcome).count())
            })
            .filter(|&(_, count)| count > 0)
            .map(|(outcome, count)| format!("; {} {}", thousands(count), outcome.name()))
            .collect();
        let idle = percent(idle_share(self.trace));
        svg.text((20.0, 53.0), "q", &format!("workers idle {idle} of the time{}", shares.concat()));
        svg.text((LEFT, TOP - 8.0), "q", "workers busy with each, from its first task to its last");
        svg.text((RIGHT, TOP - 8.0), "q", "share of work");
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

    /// Lines at the limits: across the rows of each rank, and across all.
    fn limits(&self, svg: &mut Svg) {
        for rank in 0..self.trace.rank_count() {
            let is_own = |line: &Line| self.rank_of(line) == rank;
            let (first, last) =
                (self.lines.iter().position(is_own), self.lines.iter().rposition(is_own));
            if let Some((first, last)) = first.zip(last) {
                let (bottom, height) = self.place(last);
                self.limits.draw_own(svg, rank, (self.place(first).0, bottom + height));
            }
        }
        self.limits.draw(svg, self.first_row(), self.bottom());
    }

    fn rank_of(&self, line: &Line) -> usize {
        match *line {
            Line::Worker(worker) => self.trace.site.rank_of(worker),
            Line::Messages(rank) => rank,
        }
    }

    fn caption(&self, svg: &mut Svg) {
        let merged = self.trace.records.iter().filter(|record| self.is_merged(record)).count();
        let all = self.trace.records.len();
        let text = match merged {
            _ if all == 0 => "No task was recorded.".to_owned(),
            0 => "Each rectangle is a task; its name and times show on hover.".to_owned(),
            _ => self.describe_merged(merged, all),
        };
        let pale = if self.shows_outliers {
            let count = thousands(self.outliers.count);
            format!("Not pale: {count} tasks unusually long for their codelet (Q3 + 1.5 IQR).")
        } else {
            String::new()
        };
        let messages = if self.trace.messages.is_empty() { "" } else { MESSAGES }.to_owned();
        let lines = [text, messages, pale, self.limits.describe()];
        let lines = lines.into_iter().filter(|line| !line.is_empty());
        for (number, line) in lines.enumerate() {
            svg.text((LEFT, self.bottom() + 36.0 + 16.0 * number as f64), "q", &line);
        }
    }

    fn describe_merged(&self, merged: usize, all: usize) -> String {
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
        format!(
            "{which} merged: in each column of {width}, the height of a colour is the share of the \
             time that its tasks take."
        )
    }
}

const MESSAGES: &str = "Messages: when any was on its way, above to the rank, below from it; at the right the \
     bytes that came.";
/// `share` as a percentage; that of nothing is nothing.
fn percent(share: f64) -> String {
    match 100.0 * share {
        some if some >= 0.05 => format!("{some:.1} %"),
        some if some > 1e-9 => "< 0.1 %".to_owned(),
        _ => "0 %".to_owned(),
    }
}
