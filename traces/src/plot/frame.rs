//! What panels share: a head, a time axis, rows with levels, a legend.

use super::axis::{marks, unit};
use super::style::{CHART, LEFT, RIGHT, WIDTH};
use tegula_figures::svg::{Svg, px};

/// Height of the head.
pub(super) const HEAD: f64 = 66.0;
/// Height of the time axis below the rows, with a line of caption.
pub(super) const FOOT: f64 = 62.0;
/// About the width of a character in pixels.
const CHARACTER: f64 = 7.5;

/// The time axis of a panel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// End of the axis in nanoseconds.
    span: u64,
}

impl Frame {
    /// An axis of `span` nanoseconds: the same in all panels.
    pub(super) fn new(span: u64) -> Self {
        Self { span }
    }

    /// Pixels from the start of the axis.
    pub(super) fn x(self, nanoseconds: u64) -> f64 {
        nanoseconds.min(self.span) as f64 / self.span.max(1) as f64 * CHART
    }

    /// Lines at round times from `top` to `bottom`, labelled below.
    pub(super) fn marks(self, svg: &mut Svg, top: f64, bottom: f64) {
        let unit = unit(self.span);
        for mark in marks(self.span, unit) {
            let x = px(LEFT + mark.at / self.span.max(1) as f64 * CHART);
            svg.line(format_args!(
                "<path d=\"M{x} {}V{}\" class=\"time\"/>",
                px(top),
                px(bottom + 4.0)
            ));
            svg.text((x, bottom + 18.0), "m q", &mark.label);
        }
        svg.text((RIGHT, bottom + 18.0), "q", unit.symbol);
    }
}

/// The head of a panel: what it shows, and one line more.
pub(super) fn head(svg: &mut Svg, title: &str, more: &str) {
    svg.text((20.0, 32.0), "h", title);
    svg.text((20.0, 53.0), "q", more);
}

/// The line below the time axis of rows that end at `bottom`.
pub(super) fn caption(svg: &mut Svg, bottom: f64, text: &str) {
    svg.text((LEFT, bottom + 42.0), "q", text);
}

/// A panel that has nothing to show, and says so.
pub(super) fn nothing(svg: &mut Svg, title: &str, why: &str) -> f64 {
    head(svg, title, why);
    HEAD + 10.0
}

/// The ground of a row, with what it is above it, and two levels at its left.
pub(super) fn row(svg: &mut Svg, y: f64, height: f64, name: &str, levels: [&str; 2]) {
    svg.text((LEFT, y - 7.0), "", name);
    svg.line(format_args!(
        "<rect x=\"{LEFT}\" y=\"{}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>",
        px(y)
    ));
    for (place, level) in [0.0, 0.5].into_iter().zip(levels) {
        let at = px(y + place * height);
        svg.line(format_args!("<path d=\"M{} {at}H{}\" class=\"g\"/>", LEFT - 4.0, LEFT + CHART));
        svg.text((LEFT - 10.0, at + 4.0), "e q", level);
    }
    svg.text((LEFT - 10.0, y + height + 4.0), "e q", "0");
}

/// An area in a row whose top is at `y`.
pub(super) fn area(svg: &mut Svg, y: f64, class: &str, path: &str) {
    let y = px(y);
    svg.line(format_args!(
        "<path transform=\"translate({LEFT} {y})\" class=\"{class}\" d=\"{path}\"/>"
    ));
}

/// Colours with their names, from `y` down; returns the height that they take.
pub(super) fn legend<'a>(
    svg: &mut Svg,
    y: f64,
    entries: impl IntoIterator<Item = (String, &'a str)>,
) -> f64 {
    let (mut x, mut line) = (LEFT, y);
    for (class, name) in entries {
        let name = shortened(name, 40);
        let width = 14.0 + CHARACTER * name.chars().count() as f64 + 16.0;
        if x + width > WIDTH && x > LEFT {
            (x, line) = (LEFT, line + 17.0);
        }
        let top = px(line - 9.0);
        svg.line(format_args!(
            "<rect x=\"{}\" y=\"{top}\" width=\"10\" height=\"10\" class=\"{class}\"/>",
            px(x)
        ));
        svg.text((x + 15.0, line), "", &name);
        x += width;
    }
    line - y + 17.0
}

/// At most `most` characters of `text`.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - 1).collect();
    start + "\u{2026}"
}
