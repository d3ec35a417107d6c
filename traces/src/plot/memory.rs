//! Bytes in each memory over time, under its capacity.

use super::Panel;
use super::axis::{bytes, round_up, thousands};
use super::frame::{FOOT, Frame, HEAD, area, caption, head, nothing, row, shortened};
use super::levels::Levels;
use super::style::{CHART, LEFT, WIDTH, rules, style};
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::{Gauge, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "memory",
    summary: "bytes in each memory over time, under its capacity",
    has: |trace| !memories(trace).is_empty(),
    draw: memory,
};

/// Height of a row, and from one to the next.
const ROW: f64 = 90.0;
const STEP: f64 = ROW + 36.0;
/// A capacity is drawn if the peak reaches this share of it: else the peak could not be seen.
const NEAR: f64 = 0.2;

/// Draws, over `span` nanoseconds, the bytes in each memory: the most and the mean in each pixel
/// column.
#[must_use]
pub fn memory(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let rules = rules(&[(".most", "fill:#56b4e9"), (".mean", "fill:#0072b2")]);
    let style = style("tegula-memory", &rules, &[]);
    let memories = memories(trace);
    if memories.is_empty() {
        let height = nothing(&mut svg, "Memory", "Nobody counted the bytes in memories.");
        return svg.finish("tegula-memory", (WIDTH, height), &style);
    }
    let first = HEAD + 30.0;
    let bottom = first + STEP * memories.len() as f64 - (STEP - ROW);
    let (frame, mut samples) = (Frame::new(span), 0);
    for (number, &memory) in memories.iter().enumerate() {
        let levels = Levels::of(trace, Gauge::Memory(memory), frame);
        samples += levels.samples;
        draw_row(&mut svg, trace, memory, &levels, first + STEP * number as f64);
    }
    let samples = thousands(samples);
    head(&mut svg, "Memory", &format!("bytes in buffers, from {samples} samples"));
    frame.marks(&mut svg, first, bottom);
    caption(&mut svg, bottom, "In each column of one pixel: light the most, dark the mean.");
    svg.finish("tegula-memory", (WIDTH, bottom + FOOT), &style)
}

/// Numbers of the memories that there are samples of.
fn memories(trace: &Trace) -> Vec<usize> {
    let mut found = std::collections::BTreeSet::new();
    for sample in &trace.samples {
        if let Gauge::Memory(memory) = sample.gauge {
            found.insert(memory);
        }
    }
    found.into_iter().collect()
}

fn draw_row(svg: &mut Svg, trace: &Trace, memory: usize, levels: &Levels, y: f64) {
    let capacity = trace.site.capacities.get(memory).copied().flatten().map(|c| c as f64);
    let shown = capacity.filter(|&capacity| levels.peak >= NEAR * capacity);
    let top = round_up(levels.peak.max(shown.unwrap_or(0.0)), 1024.0);
    let limit = capacity.map_or("no limit".to_owned(), |c| format!("capacity {}", bytes(c)));
    let name = shortened(&trace.memory_name(memory), 40);
    let name = format!("{name}: most {}, {limit}", bytes(levels.peak));
    row(svg, y, ROW, &name, [&bytes(top), &bytes(top / 2.0)]);
    for (class, path) in ["most", "mean"].into_iter().zip(levels.areas(top, ROW)) {
        area(svg, y, class, &path);
    }
    if let Some(capacity) = shown {
        let at = px(y + ROW * (1.0 - capacity / top));
        svg.line(format_args!("<path d=\"M{LEFT} {at}H{}\" class=\"limit\"/>", LEFT + CHART));
        svg.text((LEFT + CHART + 6.0, at + 4.0), "limit-text", "capacity");
    }
}
