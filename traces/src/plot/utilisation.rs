//! How busy the workers of each class were over time, and with which codelets.

use super::Panel;
use super::axis::{duration, thousands};
use super::columns::Columns;
use super::frame::{FOOT, Frame, HEAD, area, caption, head, legend, nothing, row, shortened};
use super::groups::Groups;
use super::style::{CHART, WIDTH, fills, style};
use crate::ClassUse;
use tegula_figures::svg::Svg;
use tegula_runtime::trace::Trace;

pub(super) const PANEL: Panel = Panel {
    name: "utilisation",
    summary: "share of time that the workers of each class spend in tasks, stacked by codelet",
    has: |trace| !trace.records.is_empty(),
    draw: utilisation,
};

const ROW: f64 = 110.0;
const STEP: f64 = ROW + 38.0;
/// Width of a slice of time in pixels.
const SLICE: f64 = 5.0;
/// Most classes that have a row of their own.
const MOST_CLASSES: usize = 16;

/// Draws, over `span` nanoseconds, for each class of workers and each slice of time, the share of
/// the workers' time that tasks of each codelet take.
#[must_use]
pub fn utilisation(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let groups = Groups::by_codelet(trace);
    let style = style("tegula-utilisation", &fills(groups.colours()), &[]);
    if trace.records.is_empty() {
        let height = nothing(&mut svg, "Utilisation", "No task was recorded.");
        return svg.finish("tegula-utilisation", (WIDTH, height), &style);
    }
    head(&mut svg, "Utilisation", "share of the workers' time that tasks of each codelet take");
    let entries = groups.list.iter().enumerate();
    let entries = entries.map(|(i, group)| (format!("c{i}"), group.name.as_str()));
    let first = HEAD + 30.0 + legend(&mut svg, HEAD + 8.0, entries);
    let frame = Frame::new(span);
    let (uses, of) = (crate::utilisation(trace), trace.classes().1);
    let drawn = uses.len().min(MOST_CLASSES);
    for (class, usage) in uses.iter().enumerate().take(drawn) {
        let y = first + STEP * class as f64;
        row(&mut svg, y, ROW, &describe(usage), ["100 %", "50 %"]);
        let columns = columns(trace, &groups, frame, |worker| of[worker] == class);
        for (group, path) in columns.stack(usage.workers as f64, ROW) {
            area(&mut svg, y, &format!("c{group}"), &path);
        }
    }
    let bottom = first + STEP * drawn as f64 - (STEP - ROW);
    frame.marks(&mut svg, first, bottom);
    caption(&mut svg, bottom, &says(trace, span, uses.len() - drawn));
    svg.finish("tegula-utilisation", (WIDTH, bottom + FOOT), &style)
}

fn describe(usage: &ClassUse) -> String {
    let ClassUse { class, workers, utilisation, early_utilisation, .. } = usage;
    let (whole, early) = (100.0 * utilisation, 100.0 * early_utilisation);
    let noun = if *workers == 1 { "worker" } else { "workers" };
    let (class, workers) = (shortened(class, 40), thousands(*workers));
    format!("{class}: {workers} {noun}, busy {whole:.1} %, {early:.1} % in the first 95 %")
}

/// The tasks of the workers that are `wanted`, in slices.
fn columns(
    trace: &Trace,
    groups: &Groups,
    frame: Frame,
    wanted: impl Fn(usize) -> bool,
) -> Columns {
    let mut columns = Columns::new(CHART, SLICE, groups.list.len());
    for (record, &group) in trace.records.iter().zip(&groups.of) {
        if wanted(record.worker) {
            columns.add(group, frame.x(record.start), frame.x(record.end));
        }
    }
    columns
}

fn says(trace: &Trace, span: u64, left_out: usize) -> String {
    let slice = duration((span as f64 * SLICE / CHART) as u64);
    let tasks = thousands(trace.records.len());
    let text = format!("All tasks, {tasks}, are summed up in slices of {slice}.");
    if left_out == 0 { text } else { format!("{text} {left_out} classes are left out.") }
}
