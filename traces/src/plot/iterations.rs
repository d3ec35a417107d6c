//! When the iterations of the outermost loop started and ended, and how much work each had when:
//! how far they overlap.

use std::fmt::Write;

use super::Panel;
use super::axis::thousands;
use super::frame::{FOOT, Frame, HEAD, caption, head, legend, nothing};
use super::style::{CHART, LEFT, WIDTH, rules, style};
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::Trace;

pub(super) const PANEL: Panel = Panel {
    name: "iterations",
    summary: "start, end and work of each iteration of the outermost loop over time",
    has: |trace| trace.records.iter().any(|record| record.iteration > 0),
    draw: iterations,
};

/// Most rows, and their height all together.
const MOST_ROWS: usize = 100;
const HEIGHT: f64 = 400.0;
/// Width of a column in pixels.
const COLUMN: f64 = 5.0;
/// Shades of work.
const SHADES: usize = 5;

/// Draws, over `span` nanoseconds, for each iteration a row from its first start to its last end,
/// the stronger the more of the workers' time goes to it. More than a hundred iterations share
/// rows.
#[must_use]
pub fn iterations(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let rows = Rows::new(trace, Frame::new(span));
    let style = style("tegula-iterations", &rules_of(rows.height), &[(".last", "stroke:#ddd")]);
    if !(PANEL.has)(trace) {
        let height =
            nothing(&mut svg, "Iterations", "No task belongs to an iteration but the first.");
        return svg.finish("tegula-iterations", (WIDTH, height), &style);
    }
    let count = rows.iterations;
    head(&mut svg, "Iterations", &format!("{} of the outermost loop", thousands(count)));
    let entries = [("first", "first start"), ("last", "last end")];
    legend(&mut svg, HEAD + 8.0, entries.map(|(class, name)| (format!("{class}-box"), name)));
    let (top, bottom) = (HEAD + 30.0, HEAD + 30.0 + rows.height * rows.spans.len() as f64);
    svg.line(format_args!(
        "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{CHART}\" height=\"{}\" class=\"r\"/>",
        px(bottom - top)
    ));
    Frame::new(span).marks(&mut svg, top, bottom);
    rows.labels(&mut svg, top);
    svg.line(format_args!("<g transform=\"translate({LEFT} {top})\">"));
    rows.shades(&mut svg);
    rows.borders(&mut svg);
    svg.line(format_args!("</g>"));
    caption(&mut svg, bottom, &rows.says(trace.workers));
    svg.finish("tegula-iterations", (WIDTH, bottom + FOOT), &style)
}

fn rules_of(row: f64) -> Vec<(String, String)> {
    let mut rules = rules(&[
        (".first", "fill:none;stroke:#d55e00;stroke-width:1.5"),
        (".last", "fill:none;stroke:#222;stroke-width:1.5"),
        (".first-box", "fill:#d55e00"),
        (".last-box", "fill:#777"),
    ]);
    for shade in 1..=SHADES {
        let opacity = 0.1 + 0.9 * shade as f64 / SHADES as f64;
        let says = format!("stroke:#0072b2;stroke-opacity:{opacity:.2};stroke-width:{}", px(row));
        rules.push((format!(".s{shade}"), says));
    }
    rules
}

/// Rows of iterations.
struct Rows {
    iterations: usize,
    /// Iterations that share a row.
    share: usize,
    /// Height of a row in pixels.
    height: f64,
    /// First start and last end of each row in pixels, if it has tasks.
    spans: Vec<Option<(f64, f64)>>,
    /// Pixels of work in each column of each row.
    work: Vec<Vec<f64>>,
}

impl Rows {
    fn new(trace: &Trace, frame: Frame) -> Self {
        let last = trace.records.iter().map(|record| record.iteration).max().unwrap_or(0);
        let iterations = last as usize + 1;
        let share = iterations.div_ceil(MOST_ROWS);
        let count = iterations.div_ceil(share);
        let height = (HEIGHT / count as f64).clamp(4.0, 18.0);
        let columns = (CHART / COLUMN) as usize;
        let work = vec![vec![0.0; columns]; count];
        let mut rows = Self { iterations, share, height, spans: vec![None; count], work };
        for record in &trace.records {
            let row = record.iteration as usize / share;
            rows.add(row, frame.x(record.start), frame.x(record.end));
        }
        rows
    }

    fn add(&mut self, row: usize, start: f64, end: f64) {
        let span = self.spans[row].get_or_insert((start, end));
        *span = (span.0.min(start), span.1.max(end));
        let last = self.work[row].len() - 1;
        let column = |x: f64| ((x / COLUMN) as usize).min(last);
        for column in column(start)..=column(end) {
            let left = column as f64 * COLUMN;
            self.work[row][column] += (end.min(left + COLUMN) - start.max(left)).max(0.0);
        }
    }

    /// The most work in any column of any row.
    fn peak(&self) -> f64 {
        self.work.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// Numbers of iterations at the left, as many as there is room for.
    fn labels(&self, svg: &mut Svg, top: f64) {
        let least = 18.0 / self.height * self.share as f64;
        let steps = (0..10).flat_map(|power| [1, 2, 5].map(|step| step * 10usize.pow(power)));
        let step = steps.into_iter().find(|&step| step as f64 >= least).unwrap_or(self.iterations);
        for iteration in (0..self.iterations).step_by(step) {
            let middle = (iteration / self.share) as f64 + 0.5;
            let y = top + middle * self.height + 4.0;
            svg.text((LEFT - 10.0, y), "e q", &thousands(iteration));
        }
    }

    /// One path for each shade: lines as thick as a row.
    fn shades(&self, svg: &mut Svg) {
        let peak = self.peak().max(f64::MIN_POSITIVE);
        let mut paths = vec![String::new(); SHADES + 1];
        for (row, work) in self.work.iter().enumerate() {
            let shade = |part: &f64| (part / peak * SHADES as f64).ceil() as usize;
            let shades: Vec<usize> = work.iter().map(shade).collect();
            let y = px((row as f64 + 0.5) * self.height);
            let mut start = 0;
            for run in shades.chunk_by(|a, b| a == b) {
                let (x, end) = (start as f64 * COLUMN, (start + run.len()) as f64 * COLUMN);
                write!(paths[run[0].min(SHADES)], "M{x} {y}H{end}").expect("a string takes all");
                start += run.len();
            }
        }
        for (shade, path) in paths.iter().enumerate().skip(1).filter(|(_, path)| !path.is_empty()) {
            svg.line(format_args!("<path class=\"s{shade}\" d=\"{path}\"/>"));
        }
    }

    /// The lines of starts and ends.
    fn borders(&self, svg: &mut Svg) {
        let line = |x: fn((f64, f64)) -> f64| {
            let mut path = String::new();
            for (row, span) in self.spans.iter().enumerate() {
                let Some(span) = *span else { continue };
                let (x, y) = (px(x(span)), px(row as f64 * self.height));
                let start = if path.is_empty() { "M" } else { "L" };
                write!(path, "{start}{x} {y}V{}", px(y + self.height)).expect("a string takes all");
            }
            path
        };
        for (class, path) in [("first", line(|span| span.0)), ("last", line(|span| span.1))] {
            svg.line(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
        }
    }

    fn says(&self, workers: usize) -> String {
        let most = 100.0 * self.peak() / (COLUMN * workers.max(1) as f64);
        let shared = match self.share {
            1 => String::new(),
            share => format!(" Each row is {share} iterations."),
        };
        format!(
            "Stronger: more work; the strongest shade is {most:.0} % of the workers' time.{shared}"
        )
    }
}
