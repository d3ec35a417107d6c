//! How busy the workers of each kind of each rank were over time, and with which codelets: a Gantt
//! chart of clusters whose workers are too many for rows of their own.

use super::Panel;
use super::axis::{duration, thousands};
use super::columns::Columns;
use super::frame::{FOOT, Frame, HEAD, area, caption, head, legend, nothing, shortened};
use super::groups::Groups;
use super::limits::{self, Limits};
use super::style::{CHART, LEFT, RIGHT, WIDTH, fills, rules, style};
use crate::rank_classes;
use tegula_figures::svg::{Svg, escaped, px};
use tegula_runtime::trace::Trace;

pub(super) const PANEL: Panel = Panel {
    name: "aggregated",
    summary: "share of time that the workers of each kind of each rank spend in tasks, stacked by codelet",
    has: |trace| trace.rank_count() > 1 && !trace.records.is_empty(),
    draw: aggregated,
};

/// Height that all bands share, and what a band has at least and at most.
const HEIGHT: f64 = 1000.0;
const LEAST: f64 = 13.0;
const MOST: f64 = 64.0;
/// Between the bands of two ranks.
const GAP: f64 = 3.0;
/// Most bands: in larger clusters, neighbouring ranks share theirs.
const MOST_BANDS: usize = 240;
/// About the most slices of all bands, and the least width of one in pixels.
const MOST_SLICES: f64 = 20_000.0;
const SLICE: f64 = 5.0;

/// Draws, over `span` nanoseconds, a band for the workers of each kind of each rank: in each slice
/// of time the share of their time that tasks of each codelet take. Classes whose names differ by a
/// number at their end, such as those of several devices, are one kind. Beyond some hundred bands,
/// neighbouring ranks share them.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.3, figure 4.6.
#[must_use]
pub fn aggregated(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let groups = Groups::by_codelet(trace);
    let mut rules = rules(limits::RULES);
    rules.extend(fills(groups.colours()));
    let style = style("tegula-aggregated", &rules, limits::DARK);
    if trace.records.is_empty() {
        let height = nothing(&mut svg, "Ranks", "No task was recorded.");
        return svg.finish("tegula-aggregated", (WIDTH, height), &style);
    }
    let bands = Bands::new(trace);
    let ranks = thousands(trace.rank_count());
    let more = format!(
        "share of the time of the workers of each kind of {ranks} ranks that tasks of each codelet take"
    );
    head(&mut svg, "Ranks", &more);
    let entries = groups.list.iter().enumerate();
    let entries = entries.map(|(i, group)| (format!("c{i}"), group.name.as_str()));
    let limits = Limits::of_ranks(trace, span);
    let top = HEAD + 30.0 + legend(&mut svg, HEAD + 8.0, entries) + limits.height();
    svg.text((RIGHT + 50.0, top - 8.0), "e q", "busy");
    for (columns, band) in bands.columns(trace, span, &groups).iter().zip(&bands.list) {
        band.draw(&mut svg, columns, top + band.y, bands.height);
    }
    let bottom = top + bands.bottom();
    let frame = Frame::new(span);
    frame.marks(&mut svg, top, bottom);
    for band in bands.list.iter().filter(|band| band.ranks.0 == band.ranks.1) {
        let y = top + band.y;
        limits.draw_own(&mut svg, band.ranks.0, (y, y + bands.height));
    }
    limits.draw(&mut svg, top, bottom);
    caption(&mut svg, bottom, &bands.says(span));
    svg.text((LEFT, bottom + 58.0), "q", &limits.describe());
    svg.finish("tegula-aggregated", (WIDTH, bottom + FOOT + 16.0), &style)
}

/// The workers of one kind on some neighbouring ranks.
struct Band {
    /// The first and the last rank.
    ranks: (usize, usize),
    kind: String,
    workers: usize,
    /// Share of their time until the makespan that the workers spent in tasks.
    busy: f64,
    /// Where it stands, from the top of the first.
    y: f64,
}

/// The name of a class without the number of a device at its end.
fn kind(class: &str) -> &str {
    let stem = class.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let stem = stem.trim_end_matches([' ', '-']);
    if stem.is_empty() { class } else { stem }
}

/// All bands.
struct Bands {
    list: Vec<Band>,
    /// For each worker the position of its own.
    of: Vec<usize>,
    /// How many ranks share a band.
    share: usize,
    height: f64,
    /// Width of a slice of time in pixels.
    slice: f64,
}

impl Bands {
    fn new(trace: &Trace) -> Self {
        let (classes, class_of) = rank_classes(trace);
        let share = classes.len().div_ceil(MOST_BANDS).max(1);
        let mut list: Vec<Band> = Vec::new();
        let mut band_of = vec![0; classes.len()];
        for (number, class) in classes.into_iter().enumerate() {
            let kind = kind(&class.class);
            let is_own =
                |band: &Band| band.ranks.0 / share == class.rank / share && band.kind == kind;
            band_of[number] = list.iter().rposition(is_own).unwrap_or_else(|| {
                let (ranks, kind) = ((class.rank, class.rank), kind.to_owned());
                list.push(Band { ranks, kind, workers: 0, busy: 0.0, y: 0.0 });
                list.len() - 1
            });
            let band = &mut list[band_of[number]];
            band.ranks.1 = class.rank;
            band.workers += class.workers;
        }
        let of = class_of.into_iter().map(|class| band_of[class]).collect();
        let height = (HEIGHT / list.len().max(1) as f64).floor().clamp(LEAST, MOST);
        let slice = (CHART * list.len() as f64 / MOST_SLICES).ceil().max(SLICE);
        let mut bands = Self { list, of, share, height, slice };
        bands.measure(trace);
        bands.place();
        bands
    }

    /// Sums up how busy each is.
    fn measure(&mut self, trace: &Trace) {
        let makespan = trace.makespan_seconds().max(1e-9);
        for record in &trace.records {
            let band = &mut self.list[self.of[record.worker]];
            band.busy += record.seconds() / (makespan * band.workers as f64);
        }
    }

    /// Puts each band below the one before it.
    fn place(&mut self) {
        let (mut y, mut last) = (0.0, None);
        for band in &mut self.list {
            let gap = if last.is_some_and(|ranks| ranks != band.ranks) { GAP } else { 0.0 };
            band.y = y + gap;
            (y, last) = (band.y + self.height + 1.0, Some(band.ranks));
        }
    }

    /// Where the last band ends.
    fn bottom(&self) -> f64 {
        self.list.last().map_or(0.0, |band| band.y + self.height)
    }

    /// For each band the share of its workers' time that each of `groups` takes.
    fn columns(&self, trace: &Trace, span: u64, groups: &Groups) -> Vec<Columns> {
        let frame = Frame::new(span);
        let empty = || Columns::new(CHART, self.slice, groups.list.len());
        let mut columns: Vec<Columns> = self.list.iter().map(|_| empty()).collect();
        for (record, &group) in trace.records.iter().zip(&groups.of) {
            let band = &mut columns[self.of[record.worker]];
            band.add(group, frame.x(record.start), frame.x(record.end));
        }
        columns
    }

    fn says(&self, span: u64) -> String {
        let slice = duration((span as f64 * self.slice / CHART) as u64);
        let height =
            format!("The height of a band is all the time of its workers, in slices of {slice}.");
        match self.share {
            1 => height,
            share => format!("{height} {share} neighbouring ranks share their bands."),
        }
    }
}

impl Band {
    fn draw(&self, svg: &mut Svg, columns: &Columns, y: f64, height: f64) {
        let (ranks, kind, workers) = (self.name(), &self.kind, thousands(self.workers));
        let busy = format!("{:.1} %", 100.0 * self.busy);
        let noun = if self.workers == 1 { "worker" } else { "workers" };
        let about = format!("rank {ranks}, {kind}: {workers} {noun}, busy {busy}");
        svg.line(format_args!("<g class=\"band\"><title>{}</title>", escaped(&about)));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>",
            px(y)
        ));
        for (group, path) in columns.stack(self.workers as f64, height) {
            area(svg, y, &format!("c{group}"), &path);
        }
        let middle = y + height / 2.0 + 4.0;
        let name = shortened(&format!("rank {ranks} {kind}"), 18);
        svg.text((LEFT - 10.0, middle), "e", &name);
        svg.text((RIGHT + 50.0, middle), "e", &busy);
        svg.line(format_args!("</g>"));
    }

    /// The rank, or the first and the last.
    fn name(&self) -> String {
        match self.ranks {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}\u{2013}{last}"),
        }
    }
}
