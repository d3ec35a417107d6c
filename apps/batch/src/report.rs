//! A page that puts runs beside each other: a table, sessions as boxes and as distributions, usage
//! over time.

use tegula_figures::html;
use tegula_figures::plane::{CHART, FOOT, LEFT, Plane, WIDTH};
use tegula_figures::style::style;
use tegula_figures::svg::{Svg, px};

use crate::metrics::{Comparison, Summary, Usage, quantile};

/// A run beside its base.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its scheduler.
    pub name: String,
    /// That of the base.
    pub base: String,
    /// What it came to.
    pub summary: Summary,
    /// What it is beside the base.
    pub comparison: Comparison,
    /// The usage over time.
    pub usage: Vec<Usage>,
}

/// Colours of curves (M. Okabe, K. Ito, "Color universal design", 2008).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];
/// Height of a figure of curves.
const HEIGHT: f64 = 230.0;
/// Where boxes start, behind their names.
const NAMES: f64 = 84.0;
/// Height of a box with its gap.
const ROW: f64 = 30.0;
/// Points of a curve at most.
const POINTS: usize = 400;

/// The page.
#[must_use]
pub fn page(entries: &[Entry]) -> String {
    let mut body = html::section("Schedulers", 2, &table(entries));
    let drawn: Vec<(usize, &Entry)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.comparison.ratios.is_empty())
        .collect();
    let mut figures = String::new();
    if !drawn.is_empty() {
        figures += &html::captioned(
            "Stretch of sessions beside the base",
            &boxes(&drawn),
            "The base's stretch over this one's, of sessions that differ by 1 % or more: to the \
             right of 1 is better. Box: 25 to 75 % of them, with the median and the mean \
             (triangle); whiskers: 12.5 to 87.5 %.",
        );
        figures += &html::captioned(
            "The same, as distributions",
            &distributions(&drawn),
            "The part of the sessions that differ whose ratio is at most that.",
        );
    }
    for (title, words, of) in USAGES {
        figures += &html::captioned(title, &usage(entries, of), words);
    }
    body += &format!("<div class=\"figures\">\n{figures}</div>\n");
    html::page("Schedulers of batch jobs", &body)
}

/// What is shown over time: title, words, and the cores.
type OfUsage = (&'static str, &'static str, fn(&Usage) -> i64);

const USAGES: [OfUsage; 3] = [
    ("Busy cores over time", "Cores of jobs that run.", |now| now.running),
    ("Queue over time", "Cores that jobs in the queue ask for.", |now| now.queued),
    ("Loading over time", "Cores of jobs that wait for their file.", |now| now.loading),
];

fn table(entries: &[Entry]) -> Vec<Vec<String>> {
    let head = [
        "scheduler",
        "beside",
        "waiting, h",
        "less, %",
        "core time, %",
        "mean flow, h",
        "queue, h",
        "session stretch",
        "differ, %",
        "median ratio",
    ];
    let row = |entry: &Entry| {
        let (summary, comparison) = (&entry.summary, &entry.comparison);
        let hours = |seconds: f64| format!("{:.2}", seconds / 3600.0);
        vec![
            entry.name.clone(),
            entry.base.clone(),
            hours(summary.waiting_for_files_seconds as f64),
            format!("{:.2}", 100.0 * comparison.waiting_reduction),
            format!("{:.3}", 100.0 * comparison.core_reduction),
            hours(summary.flow.0),
            hours(summary.queue.0),
            format!("{:.3}", summary.session_stretch),
            format!("{:.1}", 100.0 * comparison.differing),
            if comparison.ratios.is_empty() {
                String::new()
            } else {
                format!("{:.3}", quantile(&comparison.ratios, 0.5))
            },
        ]
    };
    std::iter::once(head.map(str::to_owned).to_vec()).chain(entries.iter().map(row)).collect()
}

/// A plane whose axis to the right is one of logarithms, with its round numbers.
struct Ratios {
    low: f64,
    high: f64,
    /// Where it starts.
    left: f64,
}

impl Ratios {
    /// One that holds the ratios of `entries` from one part of them to another.
    fn new(entries: &[(usize, &Entry)], (from, to): (f64, f64), left: f64) -> Self {
        let bound = |part: f64, pick: fn(f64, f64) -> f64| {
            let at = |entry: &Entry| quantile(&entry.comparison.ratios, part);
            entries.iter().map(|(_, entry)| at(entry)).fold(1.0, pick)
        };
        Self { low: 0.9 * bound(from, f64::min), high: 1.1 * bound(to, f64::max), left }
    }

    fn width(&self) -> f64 {
        WIDTH - self.left - 16.0
    }

    fn x(&self, ratio: f64) -> f64 {
        let share = (ratio / self.low).ln() / (self.high / self.low).ln();
        px(self.left + self.width() * share.clamp(0.0, 1.0))
    }

    /// Draws lines at round numbers down to `bottom`, and says what they are.
    fn ground(&self, svg: &mut Svg, (top, bottom): (f64, f64)) {
        let (left, width, height) = (self.left, self.width(), px(bottom - top));
        svg.line(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" class=\"r\"/>"
        ));
        let wide = self.high / self.low > 30.0;
        let factors: &[f64] = if wide { &[1.0] } else { &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0] };
        let mut last = f64::NEG_INFINITY;
        for power in -9..9 {
            for factor in factors {
                // Divided, so that 0.7 is written with one digit.
                let ratio = if power < 0 {
                    factor / 10f64.powi(-power)
                } else {
                    factor * 10f64.powi(power)
                };
                let x = self.x(ratio);
                // Labels need room; that at 1 is always there.
                let has_room = x - last > 34.0 && ((x - self.x(1.0)).abs() > 34.0 || ratio == 1.0);
                if ratio > self.low && ratio < self.high && has_room {
                    svg.line(format_args!("<path d=\"M{x} {top}V{bottom}\" class=\"g\"/>"));
                    svg.text((x, bottom + 17.0), "m q", &format!("{ratio}"));
                    last = x;
                }
            }
        }
        let x = self.x(1.0);
        svg.line(format_args!("<path d=\"M{x} {top}V{bottom}\" class=\"one\"/>"));
        svg.text((left + 0.5 * width, bottom + 36.0), "m", "stretch of the base / this one's");
    }
}

fn boxes(entries: &[(usize, &Entry)]) -> String {
    let ratios = Ratios::new(entries, (0.125, 0.875), NAMES);
    let (top, bottom) = (12.0, 12.0 + ROW * entries.len() as f64);
    let mut svg = Svg::default();
    ratios.ground(&mut svg, (top, bottom));
    for (row, (index, entry)) in entries.iter().enumerate() {
        let all = &entry.comparison.ratios;
        let x = |part: f64| ratios.x(quantile(all, part));
        let middle = px(top + ROW * (row as f64 + 0.5));
        let (colour, (low, high)) = (index % COLOURS.len(), (x(0.25), x(0.75)));
        svg.text((NAMES - 6.0, middle + 4.0), "e", &entry.name);
        svg.line(format_args!(
            "<path d=\"M{} {middle}H{}\" class=\"whisker\"/>",
            x(0.125),
            x(0.875)
        ));
        let title = format!("{}: median {:.3}", entry.name, quantile(all, 0.5));
        let size = (px(high - low), ROW - 12.0);
        svg.rect((low, middle - 0.5 * size.1), size, &format!("c{colour}"), &title);
        let (median, half) = (x(0.5), 0.5 * size.1);
        svg.line(format_args!(
            "<path d=\"M{median} {}v{}\" class=\"median\"/>",
            middle - half,
            size.1
        ));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        if mean <= ratios.high {
            let x = ratios.x(mean);
            svg.line(format_args!(
                "<path d=\"M{} {}l4 -8l4 8z\" class=\"mean\"/>",
                px(x - 4.0),
                middle + 4.0
            ));
        }
    }
    svg.finish("tegula-batch", (WIDTH, bottom + FOOT), &look())
}

fn distributions(entries: &[(usize, &Entry)]) -> String {
    let ratios = Ratios::new(entries, (0.02, 0.98), LEFT);
    let plane = Plane::new((0.0, 1.0), (0.0, 100.0), HEIGHT);
    let mut svg = Svg::default();
    let (top, bottom) = (plane.place((0.0, 100.0)).1, plane.bottom());
    ratios.ground(&mut svg, (top, bottom));
    for percent in [0, 25, 50, 75, 100] {
        let y = px(plane.place((0.0, f64::from(percent))).1);
        svg.line(format_args!("<path d=\"M{LEFT} {y}h{CHART}\" class=\"g\"/>"));
        svg.text((LEFT - 6.0, y + 4.0), "e q", &format!("{percent} %"));
    }
    for &(index, entry) in entries {
        let point = |step: usize| {
            let part = step as f64 / POINTS as f64;
            let x = ratios.x(quantile_of_sorted(&entry.comparison.ratios, part));
            format!("{x} {}", px(plane.place((0.0, 100.0 * part)).1))
        };
        let path: Vec<String> = (0..=POINTS).map(point).collect();
        curve(&mut svg, index, &path.join("L"));
    }
    let height = legend(&mut svg, bottom + FOOT, entries);
    svg.finish("tegula-batch", (WIDTH, height), &look())
}

/// One of the sorted `values`, below which a part of them lies.
fn quantile_of_sorted(values: &[f64], part: f64) -> f64 {
    values[(part * (values.len() - 1) as f64).round() as usize]
}

fn usage(entries: &[Entry], of: fn(&Usage) -> i64) -> String {
    let all = || entries.iter().flat_map(|entry| &entry.usage);
    let begin = all().map(|now| now.time).min().unwrap_or(0);
    let day = |time: i64| (time - begin) as f64 / 86_400.0;
    let last = all().map(|now| day(now.time)).fold(0.0, f64::max);
    let most = all().map(of).max().unwrap_or(0).max(1) as f64;
    let plane = Plane::new((0.0, last), (0.0, 1.03 * most), HEIGHT);
    let mut svg = Svg::default();
    plane.ground(&mut svg, "days", "cores");
    for (index, entry) in entries.iter().enumerate() {
        let step = entry.usage.len().div_ceil(POINTS).max(1);
        let point = |now: &Usage| {
            let (x, y) = plane.place((day(now.time), of(now) as f64));
            format!("{} {}", px(x), px(y))
        };
        let path: Vec<String> = entry.usage.iter().step_by(step).map(point).collect();
        curve(&mut svg, index, &path.join("L"));
    }
    let named: Vec<(usize, &Entry)> = entries.iter().enumerate().collect();
    let height = legend(&mut svg, plane.bottom() + FOOT, &named);
    svg.finish("tegula-batch", (WIDTH, height), &look())
}

fn curve(svg: &mut Svg, index: usize, path: &str) {
    if !path.is_empty() {
        let (colour, dash) = (index % COLOURS.len(), index / COLOURS.len() % 2);
        svg.line(format_args!("<path d=\"M{path}\" class=\"k{colour} dash{dash}\"/>"));
    }
}

/// Says which curve is whose from `top` on; returns where that ends.
fn legend(svg: &mut Svg, top: f64, entries: &[(usize, &Entry)]) -> f64 {
    const COLUMN: f64 = 95.0;
    let columns = 4;
    for (place, &(index, entry)) in entries.iter().enumerate() {
        let x = LEFT + COLUMN * (place % columns) as f64;
        let y = top + 8.0 + 18.0 * (place / columns) as f64;
        curve(svg, index, &format!("{x} {y}h18"));
        svg.text((x + 23.0, y + 4.0), "n", &entry.name);
    }
    top + 18.0 * entries.len().div_ceil(columns) as f64 + 4.0
}

fn look() -> String {
    let mut own: Vec<(String, String)> = vec![
        (".one".to_owned(), "stroke:#666;stroke-dasharray:5 3".to_owned()),
        (".whisker".to_owned(), "stroke:#777;stroke-width:1.5".to_owned()),
        (".median".to_owned(), "stroke:#111;stroke-width:2".to_owned()),
        (".mean".to_owned(), "fill:#fff;stroke:#111".to_owned()),
        (".dash1".to_owned(), "stroke-dasharray:5 3".to_owned()),
    ];
    for (index, colour) in COLOURS.iter().enumerate() {
        own.push((format!(".c{index}"), format!("fill:{colour};fill-opacity:.75")));
        own.push((format!(".k{index}"), format!("fill:none;stroke:{colour};stroke-width:1.6")));
    }
    style("tegula-batch", &own, &[(".one", "stroke:#aaa"), (".median", "stroke:#eee")])
}
