//! Points, lines, bars and levels over two axes.

use std::fmt::Write;

use crate::plane::{CHART, FOOT, LEFT, Plane, TOP, WIDTH};
use crate::scale::reach;
use crate::style::{Rule, rules, style};
use crate::svg::{Svg, escaped, px};

/// Height of the plane.
const HEIGHT: f64 = 270.0;

/// Rules that figures of this size share.
pub(crate) const RULES: &[Rule] = &[
    ("text", "font-size:13px"),
    (".dots", "fill:none;stroke-linecap:round"),
    (".point", "fill:#0072b2"),
    (".line", "fill:none;stroke:#d55e00;stroke-width:2;stroke-linejoin:round"),
    (".bar", "fill:#0072b2;fill-opacity:.55"),
    (".mark", "stroke:#0072b2"),
    (".level", "stroke:#666;stroke-dasharray:5 3"),
];
pub(crate) const DARK: &[Rule] = &[
    (".point", "fill:#56b4e9"),
    (".line", "stroke:#f0903c"),
    (".bar", "fill:#56b4e9"),
    (".mark", "stroke:#56b4e9"),
    (".level", "stroke:#aaa"),
];

/// Something that a chart shows.
#[derive(Clone, Copy, Debug)]
pub enum Layer<'a> {
    /// Points, each with words that show when it is pointed at.
    Points(&'a [(f64, f64)], &'a [String]),
    /// Many points.
    Dots(&'a [(f64, f64)]),
    /// Points joined by lines.
    Line(&'a [(f64, f64)]),
    /// Bars from 0 upwards: where each starts and ends, and its height.
    Bars(&'a [(f64, f64, f64)]),
    /// A horizontal line, and what it is.
    Level(f64, &'a str),
    /// A vertical line.
    Upright(f64),
}

impl Layer<'_> {
    /// Its points, as far as the axes have to reach.
    fn points(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Points(points, _) | Self::Dots(points) | Self::Line(points) => points.to_vec(),
            Self::Bars(bars) => bars
                .iter()
                .flat_map(|&(start, end, height)| [(start, 0.0), (end, height)])
                .collect(),
            Self::Level(..) | Self::Upright(_) => Vec::new(),
        }
    }
}

/// What a figure shows over two axes.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// What is counted to the right.
    pub x: &'a str,
    /// What is counted upwards.
    pub y: &'a str,
    /// Numbers that the axes reach at least, to the right.
    pub with_x: &'a [f64],
    /// The same upwards.
    pub with_y: &'a [f64],
    /// What is shown, the lowest first.
    pub layers: &'a [Layer<'a>],
}

/// Draws `chart`.
///
/// # Panics
/// If a number is not finite.
#[must_use]
pub fn chart(chart: &Chart<'_>) -> String {
    let points: Vec<(f64, f64)> = chart.layers.iter().flat_map(Layer::points).collect();
    for &(x, y) in &points {
        assert!(x.is_finite() && y.is_finite(), "point ({x}, {y}) against {}", chart.x);
    }
    let x = reach(points.iter().map(|&(x, _)| x).chain(chart.with_x.iter().copied()));
    let y = reach(points.iter().map(|&(_, y)| y).chain(chart.with_y.iter().copied()));
    let margin = |(low, high): (f64, f64)| {
        let more = 0.03 * (high - low);
        // An axis that begins at 0 does begin there.
        (if low == 0.0 { 0.0 } else { low - more }, if high == 0.0 { 0.0 } else { high + more })
    };
    let (x, y) = (x.unwrap_or((0.0, 1.0)), y.unwrap_or((0.0, 1.0)));
    let plane = Plane::new(margin(x), margin(y), HEIGHT);
    let mut svg = Svg::default();
    plane.ground(&mut svg, chart.x, chart.y);
    chart.layers.iter().for_each(|layer| draw(&mut svg, &plane, layer));
    let style = style("tegula-chart", &rules(RULES), DARK);
    svg.finish("tegula-chart", (WIDTH, plane.bottom() + FOOT), &style)
}

fn draw(svg: &mut Svg, plane: &Plane, layer: &Layer<'_>) {
    let at = |point| {
        let (x, y) = plane.place(point);
        (px(x), px(y))
    };
    match layer {
        Layer::Points(points, words) => {
            for (&point, words) in points.iter().zip(*words) {
                let ((x, y), words) = (at(point), escaped(words));
                svg.line(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" class=\"point\"><title>{words}</title></circle>"
                ));
            }
        }
        Layer::Dots(points) => {
            let path = dots(points.iter().map(|&point| plane.place(point)));
            svg.line(format_args!("<path d=\"{path}\" class=\"dots mark\" stroke-width=\"4\"/>"));
        }
        Layer::Line(points) => {
            let path: Vec<String> =
                points.iter().map(|&point| at(point)).map(|(x, y)| format!("{x} {y}")).collect();
            if !path.is_empty() {
                svg.line(format_args!("<path d=\"M{}\" class=\"line\"/>", path.join("L")));
            }
        }
        Layer::Bars(bars) => {
            let mut path = String::new();
            for &(start, end, height) in *bars {
                let ((left, bottom), (right, top)) = (at((start, 0.0)), at((end, height)));
                write!(path, "M{left} {bottom}V{top}H{}V{bottom}z", px(right - 1.0))
                    .expect("a string takes all");
            }
            svg.line(format_args!("<path d=\"{path}\" class=\"bar\"/>"));
        }
        Layer::Level(level, words) => {
            let y = at((plane.x.0, *level)).1;
            svg.line(format_args!("<path d=\"M{LEFT} {y}h{CHART}\" class=\"level\"/>"));
            svg.text((LEFT + CHART - 5.0, y - 5.0), "e q", words);
        }
        Layer::Upright(x) => {
            let (x, bottom) = (at((*x, plane.y.0)).0, px(plane.bottom()));
            svg.line(format_args!("<path d=\"M{x} {TOP}V{bottom}\" class=\"level\"/>"));
        }
    }
}

/// The path of round dots at these pixels.
pub(crate) fn dots(places: impl Iterator<Item = (f64, f64)>) -> String {
    let tenth = |x: f64| (10.0 * x).round() / 10.0;
    places.fold(String::new(), |mut path, (x, y)| {
        write!(path, "M{} {}h0", tenth(x), tenth(y)).expect("a string takes all");
        path
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_all_of_its_layers() {
        let points = [(1.0, 2.0), (2.0, 3.0)];
        let words = ["a<b".to_owned(), "c".to_owned()];
        let layers = [
            Layer::Bars(&[(0.0, 1.0, 2.0)]),
            Layer::Level(2.5, "level"),
            Layer::Upright(1.5),
            Layer::Line(&points),
            Layer::Dots(&points),
            Layer::Points(&points, &words),
        ];
        let drawn =
            chart(&Chart { x: "right", y: "up", with_x: &[], with_y: &[0.0], layers: &layers });
        for part in [
            "class=\"bar\"",
            "level</text>",
            "class=\"line\"",
            "h0\" class=\"dots",
            "a&lt;b</title>",
            ">up</text>",
        ] {
            assert!(drawn.contains(part), "{part} is not in {drawn}");
        }
        assert_eq!(drawn.matches("<circle").count(), 2);
    }
}
