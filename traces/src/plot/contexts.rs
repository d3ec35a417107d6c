//! How many workers each scheduling context had over time, and when they moved.

use std::fmt::Write;

use super::Panel;
use super::axis::thousands;
use super::frame::{FOOT, Frame, HEAD, area, caption, head, nothing, row, shortened};
use super::groups::{Groups, OTHER};
use super::style::{CHART, LEFT, WIDTH, fills, rules, style};
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::Trace;

pub(super) const PANEL: Panel = Panel {
    name: "contexts",
    summary: "workers of each scheduling context over time, and when they moved",
    has: |trace| !trace.contexts.is_empty() && !trace.contexts.resizes.is_empty(),
    draw: contexts,
};

/// Height of a row, and from one to the next.
const ROW: f64 = 60.0;
const STEP: f64 = ROW + 34.0;
/// Most contexts that have rows of their own.
const MOST: usize = 12;
/// Most changes that are marked.
const MOST_MARKS: usize = 400;

/// Draws, over `span` nanoseconds, how many workers each context had, and a line at each change.
#[must_use]
pub fn contexts(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let mut rules = rules(&[(".move", "stroke:#333;stroke-width:1;stroke-dasharray:2 3")]);
    // The colours of the Gantt chart.
    let groups = Groups::of(trace);
    rules.extend(fills(groups.colours().chain([OTHER.0])));
    let style = style("tegula-contexts", &rules, &[(".move", "stroke:#ddd")]);
    let frame = Frame::new(span);
    let counts = trace.contexts.worker_counts(trace.workers);
    let shown: Vec<usize> = (1..trace.contexts.names.len())
        .filter(|&context| counts.iter().any(|(_, of)| of[context] > 0))
        .collect();
    if shown.is_empty() {
        let height = nothing(&mut svg, "Contexts", "No context had workers.");
        return svg.finish("tegula-contexts", (WIDTH, height), &style);
    }
    let changes = &trace.contexts.resizes;
    let spent: u64 = changes.iter().map(|change| change.decision).sum();
    let more = format!(
        "{} changes, decided in {:.1} ms; {} of {} contexts",
        thousands(changes.len()),
        1e-6 * spent as f64,
        thousands(shown.len().min(MOST)),
        thousands(shown.len())
    );
    head(&mut svg, "Workers of each context", &more);
    let mut y = HEAD + 24.0;
    let first = y;
    for &context in shown.iter().take(MOST) {
        let most = counts.iter().map(|(_, of)| of[context]).max().unwrap_or(1).max(1);
        let name = shortened(trace.contexts.name(context), 40);
        let half = if most % 2 == 0 { thousands(most / 2) } else { String::new() };
        row(&mut svg, y, ROW, &name, [&thousands(most), &half]);
        let height = |count: usize| ROW * (1.0 - count as f64 / most as f64);
        let mut path = format!("M0 {}", px(ROW));
        for (step, (time, of)) in counts.iter().enumerate() {
            let end = counts.get(step + 1).map_or(span, |(time, _)| *time);
            let (left, right) = (px(frame.x(*time)), px(frame.x(end)));
            let _ = write!(path, "L{left} {0}H{right}", px(height(of[context])));
        }
        let _ = write!(path, "L{} {}Z", px(CHART), px(ROW));
        let group = groups.list.iter().position(|group| group.name == trace.contexts.name(context));
        area(&mut svg, y, &format!("c{}", group.unwrap_or(groups.list.len())), &path);
        y += STEP;
    }
    let bottom = y - STEP + ROW;
    for change in changes.iter().filter(|change| change.time > 0).take(MOST_MARKS) {
        let x = px(LEFT + frame.x(change.time));
        svg.line(format_args!(
            "<path d=\"M{x} {}V{}\" class=\"move\"><title>{} by {}</title></path>",
            px(first),
            px(bottom),
            tegula_figures::svg::escaped(change.trigger),
            tegula_figures::svg::escaped(change.policy)
        ));
    }
    frame.marks(&mut svg, first, bottom);
    caption(
        &mut svg,
        bottom,
        "Dashed: workers moved; a worker of several contexts counts in each.",
    );
    svg.finish("tegula-contexts", (WIDTH, bottom + FOOT), &style)
}
