//! How far each rank was with its own work over time, in groups of ranks that were equally far,
//! beside how far all could have been.

mod labels;

use std::fmt::Write;

use super::Panel;
use super::frame::{Frame, HEAD, caption, head, legend, nothing};
use super::groups::COLOURS;
use super::limits::Limits;
use super::style::{CHART, LEFT, Rule, WIDTH, fills, rules, style};
use crate::{Cluster, PROGRESS_BANDWIDTH, Progression, Step, balanced_by_step};
use labels::Labels;
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::Trace;

pub(super) const PANEL: Panel = Panel {
    name: "progression",
    summary: "how far each rank is with its own work over time, in groups of ranks that are equally far",
    has: |trace| trace.rank_count() > 1 && !trace.records.is_empty(),
    draw: progression,
};

/// Times at which groups are looked for: section 8.2.2 of the source.
const STEPS: usize = 20;

/// What groups are called, from the one that is ahead: each name has a colour.
const NAMES: [&str; 7] = ["group ahead", "second", "third", "fourth", "fifth", "sixth", "others"];
/// Most groups of a time at which they have names.
const MOST_NAMED: usize = 10;

/// Height of the chart.
const HEIGHT: f64 = 480.0;
/// Width of a line that all ranks share, and of one that none shares.
const THICK: f64 = 15.0;
const THIN: f64 = 1.0;
/// Distance of the points of the curve of a rank in pixels.
const POINT: usize = 5;

/// Draws [`progression_of`] with groups that are apart by a hundredth of their work, as suits runs
/// whose ranks have many tasks.
#[must_use]
pub fn progression(trace: &Trace, span: u64) -> String {
    progression_of(trace, span, PROGRESS_BANDWIDTH)
}

/// Draws, over `span` nanoseconds, how far each rank is with its own work: at each of 20 times a
/// dot for each group of ranks that are equally far ([`clusters`](crate::clusters) with this
/// `bandwidth`), lines where groups share ranks, the thicker the more, and behind them a grey curve
/// for each rank. Where ranks part, the smaller group is named, unless groups are many. Beside them
/// stand what the makespan is compared with, and, dotted, how early all ranks together could have
/// been as far.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 8.2, figure 8.4.
#[must_use]
pub fn progression_of(trace: &Trace, span: u64, bandwidth: f64) -> String {
    let mut svg = Svg::default();
    let style = style("tegula-progression", &rules_of(), DARK);
    let progression = Progression::of(trace);
    if progression.ranks.is_empty() {
        let height = nothing(&mut svg, "Progression", "No task was recorded.");
        return svg.finish("tegula-progression", (WIDTH, height), &style);
    }
    let limits = Limits::of(trace, span);
    let top = HEAD + 34.0 + limits.height();
    let chart = Chart { frame: Frame::new(span), top, ranks: progression.ranks.len() };
    let steps = steps(trace, &progression, bandwidth);
    chart.head(&mut svg, &steps);
    chart.levels(&mut svg);
    chart.frame.marks(&mut svg, top, top + HEIGHT);
    chart.curves(&mut svg, &progression, span);
    steps.windows(2).for_each(|pair| chart.links(&mut svg, &pair[0], &pair[1]));
    steps.iter().for_each(|step| chart.dots(&mut svg, step));
    chart.possible(&mut svg, trace, &progression, &steps);
    limits.draw(&mut svg, top, top + HEIGHT);
    let left_out = chart.names(&mut svg, &steps);
    let captions = [says(bandwidth, left_out), POSSIBLE.to_owned(), limits.describe()];
    for (line, text) in captions.iter().enumerate() {
        caption(&mut svg, top + HEIGHT + 16.0 * line as f64, text);
    }
    svg.finish("tegula-progression", (WIDTH, top + HEIGHT + 94.0), &style)
}

const POSSIBLE: &str = "Dotted: how early all ranks together could have been as far, with the work of each step \
     divided as well as can be, at the means of this run.";

const RULES: &[Rule] = &[
    (".rank", "fill:none;stroke:#999;stroke-width:.7;stroke-opacity:.6"),
    (".dot", "stroke:#fff;stroke-width:1"),
    (".link", "fill:none;stroke-opacity:.55;stroke-linecap:round"),
    (
        ".possible",
        "fill:none;stroke:#000;stroke-width:1.5;stroke-dasharray:1.5 4;stroke-linecap:round",
    ),
    (".possible-dot", "fill:#000"),
    (".name", "font-size:11px;stroke:#fff;stroke-width:3;paint-order:stroke"),
];
const DARK: &[Rule] = &[
    (".rank", "stroke:#888"),
    (".dot", "stroke:#191a1c"),
    (".possible", "stroke:#eee"),
    (".possible-dot", "fill:#eee"),
    (".name", "stroke:#191a1c"),
];

/// The rules with those of the colours of groups.
fn rules_of() -> Vec<(String, String)> {
    let mut rules = rules(RULES);
    let own = COLOURS.iter().map(|&(colour, _)| colour).take(NAMES.len() - 1);
    let colours: Vec<&str> = own.chain(["#888888"]).collect();
    rules.extend(fills(colours.iter().copied()));
    let lines = colours.iter().enumerate();
    rules.extend(lines.map(|(i, colour)| (format!(".l{i}"), format!("stroke:{colour}"))));
    rules
}

/// The start, and the steps until the makespan.
fn steps(trace: &Trace, progression: &Progression, bandwidth: f64) -> Vec<Step> {
    let ranks = progression.ranks.iter().map(|&(rank, _)| rank).collect();
    let start = Step { time: 0, clusters: vec![Cluster { ranks, share: 0.0 }] };
    let later = progression.steps(trace.makespan(), STEPS, bandwidth);
    [start].into_iter().chain(later).collect()
}

/// The number of a colour for the group at `place` of `groups`, counted from the one that is ahead.
fn colour(place: usize, groups: usize) -> usize {
    (groups - 1 - place).min(NAMES.len() - 1)
}

/// The ranks that both have.
fn shared(a: &Cluster, b: &Cluster) -> Vec<usize> {
    a.ranks.iter().copied().filter(|rank| b.ranks.binary_search(rank).is_ok()).collect()
}

/// The ranks of `group` by the group that they are in after it, and how far that is: the most come
/// first, among as many those that are ahead.
fn parts(group: &Cluster, after: &Step) -> Vec<(Vec<usize>, f64)> {
    let all = after.clusters.iter().rev().map(|next| (shared(group, next), next.share));
    let mut parts: Vec<(Vec<usize>, f64)> = all.filter(|(ranks, _)| !ranks.is_empty()).collect();
    parts.sort_by_key(|(ranks, _)| std::cmp::Reverse(ranks.len()));
    parts
}

fn says(bandwidth: f64, left_out: usize) -> String {
    let text = format!(
        "Dots: ranks whose progress makes one hill of its density (Gaussian kernels, bandwidth {bandwidth}). \
         Grey: each rank."
    );
    if left_out == 0 {
        text
    } else {
        format!("{text} Names left out for want of room: {left_out}.")
    }
}

/// Where things stand.
struct Chart {
    frame: Frame,
    top: f64,
    /// Number of ranks that have work.
    ranks: usize,
}

impl Chart {
    fn x(&self, time: u64) -> f64 {
        LEFT + self.frame.x(time)
    }

    fn y(&self, share: f64) -> f64 {
        self.top + HEIGHT * (1.0 - share)
    }

    /// Width of a line that `ranks` share.
    fn width(&self, ranks: usize) -> f64 {
        THIN + (THICK - THIN) * ranks as f64 / self.ranks as f64
    }

    /// What is shown, and what colours and widths mean.
    fn head(&self, svg: &mut Svg, steps: &[Step]) {
        let more = format!("of {} ranks with their own work, each by its own workers", self.ranks);
        head(svg, "Progression", &more);
        let most = steps.iter().map(|step| step.clusters.len()).max().unwrap_or(1);
        let entries = NAMES.into_iter().enumerate().take(most);
        legend(svg, HEAD + 8.0, entries.map(|(i, name)| (format!("c{i}"), name)));
        let mut counts = vec![1, self.ranks.div_ceil(2), self.ranks];
        counts.dedup();
        for (place, ranks) in counts.into_iter().enumerate() {
            let (x, y) = (LEFT + CHART - 330.0 + 115.0 * place as f64, HEAD + 4.0);
            let width = px(self.width(ranks));
            let line = format!("M{x} {y}h28");
            svg.line(format_args!(
                "<path d=\"{line}\" class=\"link l0\" stroke-width=\"{width}\"/>"
            ));
            let noun = if ranks == 1 { "rank" } else { "ranks" };
            svg.text((x + 40.0, y + 4.0), "", &format!("{ranks} {noun}"));
        }
    }

    /// The ground, and lines at quarters.
    fn levels(&self, svg: &mut Svg) {
        let top = px(self.top);
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{CHART}\" height=\"{HEIGHT}\" class=\"r\"/>"
        ));
        for quarter in 0..=4 {
            let y = px(self.y(f64::from(quarter) / 4.0));
            svg.line(format_args!("<path d=\"M{} {y}h{}\" class=\"g\"/>", LEFT - 4.0, CHART + 4.0));
            svg.text((LEFT - 10.0, y + 4.0), "e q", &format!("{} %", 25 * quarter));
        }
    }

    /// A grey curve for each rank.
    fn curves(&self, svg: &mut Svg, progression: &Progression, span: u64) {
        for (rank, progress) in &progression.ranks {
            let mut path = String::new();
            let mut last = None;
            for x in (0..=CHART as usize).step_by(POINT) {
                let share = progress.at((span as f64 * x as f64 / CHART) as u64);
                let letter = if x == 0 { "M" } else { "L" };
                let (x, y) = (LEFT + x as f64, self.y(share).round());
                write!(path, "{letter}{x} {y}").expect("a string takes all");
                if share >= 1.0 && last == Some(y) {
                    break;
                }
                last = Some(y);
            }
            svg.line(format_args!(
                "<path d=\"{path}\" class=\"rank\"><title>rank {rank}</title></path>"
            ));
        }
    }

    /// Where the dot of a group stands at `time`.
    fn place(&self, time: u64, cluster: &Cluster) -> (f64, f64) {
        (px(self.x(time)), px(self.y(cluster.share)))
    }

    /// Lines between groups of two steps that share ranks.
    fn links(&self, svg: &mut Svg, before: &Step, after: &Step) {
        for (place, group) in after.clusters.iter().enumerate() {
            let colour = colour(place, after.clusters.len());
            let (to_x, to_y) = self.place(after.time, group);
            for other in &before.clusters {
                let both = shared(other, group).len();
                if both > 0 {
                    let ((x, y), width) = (self.place(before.time, other), px(self.width(both)));
                    svg.line(format_args!(
                        "<path d=\"M{x} {y}L{to_x} {to_y}\" class=\"link l{colour}\" \
                         stroke-width=\"{width}\"/>"
                    ));
                }
            }
        }
    }

    /// A dot for each group.
    fn dots(&self, svg: &mut Svg, step: &Step) {
        for (place, group) in step.clusters.iter().enumerate() {
            let colour = colour(place, step.clusters.len());
            let ((x, y), ranks) = (self.place(step.time, group), labels::ranges(&group.ranks));
            svg.line(format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"4.5\" class=\"dot c{colour}\">\
                 <title>ranks {ranks}: {:.1} %</title></circle>",
                100.0 * group.share
            ));
        }
    }

    /// How early all could have been as far.
    fn possible(&self, svg: &mut Svg, trace: &Trace, progression: &Progression, steps: &[Step]) {
        let times: Vec<u64> = steps.iter().map(|step| step.time).collect();
        let possible = balanced_by_step(trace, &times).into_iter();
        let point = |(time, seconds): (&u64, f64)| {
            (px(self.x((1e9 * seconds) as u64)), px(self.y(progression.whole.at(*time))))
        };
        let points: Vec<(f64, f64)> = times.iter().zip(possible).map(point).collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
        svg.line(format_args!("<path d=\"M{}\" class=\"possible\"/>", line.join("L")));
        for (x, y) in points {
            svg.line(format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" class=\"possible-dot\"/>"
            ));
        }
    }

    /// The ranks of the smaller groups where groups part; returns how many find no room.
    fn names(&self, svg: &mut Svg, steps: &[Step]) -> usize {
        let mut labels = Labels::new((LEFT, LEFT + CHART), (self.top, self.top + HEIGHT));
        let mut left_out = 0;
        for pair in steps.windows(2) {
            let is_named = pair[1].clusters.len() <= MOST_NAMED;
            for group in &pair[0].clusters {
                let parts = parts(group, &pair[1]);
                for (ranks, share) in parts.iter().skip(1) {
                    let place = (self.x(pair[1].time), self.y(*share));
                    let is_below = *share < parts[0].1;
                    let name = labels::ranges(ranks);
                    let is_put = is_named && labels.put(svg, place, is_below, &name);
                    left_out += usize::from(!is_put);
                }
            }
        }
        left_out
    }
}
