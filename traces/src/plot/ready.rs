//! Tasks that are ready and wait for a worker, over time.

use super::Panel;
use super::axis::{round_up, thousands};
use super::frame::{FOOT, Frame, HEAD, area, caption, head, nothing, row};
use super::levels::Levels;
use super::style::{WIDTH, rules, style};
use tegula_figures::svg::Svg;
use tegula_runtime::trace::{Gauge, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "ready",
    summary: "tasks that are ready and wait for a worker, over time",
    has: |trace| trace.samples.iter().any(|sample| sample.gauge == Gauge::Ready),
    draw: ready,
};

const ROW: f64 = 130.0;

/// Draws, over `span` nanoseconds, the number of ready tasks: the most and the mean in each pixel
/// column.
#[must_use]
pub fn ready(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let rules = rules(&[(".most", "fill:#e9b35a"), (".mean", "fill:#b8610a")]);
    let style = style("tegula-ready", &rules, &[]);
    let frame = Frame::new(span);
    let levels = Levels::of(trace, Gauge::Ready, frame);
    if levels.samples == 0 {
        let height = nothing(&mut svg, "Ready tasks", "Nobody counted ready tasks.");
        return svg.finish("tegula-ready", (WIDTH, height), &style);
    }
    let more = format!(
        "that no worker was given yet: {} at most, from {} samples",
        thousands(levels.peak as usize),
        thousands(levels.samples)
    );
    head(&mut svg, "Ready tasks", &more);
    let (y, top) = (HEAD + 12.0, round_up(levels.peak.max(2.0), 1000.0));
    let half =
        if (top as usize).is_multiple_of(2) { thousands(top as usize / 2) } else { String::new() };
    row(&mut svg, y, ROW, "", [&thousands(top as usize), &half]);
    for (class, path) in ["most", "mean"].into_iter().zip(levels.areas(top, ROW)) {
        area(&mut svg, y, class, &path);
    }
    frame.marks(&mut svg, y, y + ROW);
    caption(&mut svg, y + ROW, "In each column of one pixel: light the most, dark the mean.");
    svg.finish("tegula-ready", (WIDTH, y + ROW + FOOT), &style)
}
