//! Some numbers against others, as lines.

use tegula_figures::scale::{reach, round, scale};
use tegula_figures::svg::{Svg, escaped, px};

use super::frame::{HEAD, caption, head, legend, shortened};
use super::groups::COLOURS;
use super::style::{CHART, LEFT, RIGHT, Rule, WIDTH, fills, rules, style};

/// Height of the chart.
const HEIGHT: f64 = 440.0;
/// Height of the line of text of a border.
const STEP: f64 = 15.0;
/// Most points of a curve that are marked.
const MOST_MARKS: usize = 60;
/// About how many round numbers stand on an axis at most.
const NUMBERS: f64 = 10.0;

const RULES: &[Rule] = &[
    (".curve", "fill:none;stroke-width:2;stroke-linejoin:round"),
    (".faint", "fill:none;stroke:#888;stroke-width:1;stroke-opacity:.6"),
    (".dash1", "stroke-dasharray:7 4"),
    (".dash2", "stroke-dasharray:2 4"),
    (".border", "stroke:#222;stroke-dasharray:2 3"),
];
const DARK: &[Rule] = &[(".faint", "stroke:#999"), (".border", "stroke:#ddd")];

/// A line of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// What it is.
    pub name: &'a str,
    /// Its points, those that are joined one after the other.
    pub points: &'a [(f64, f64)],
    /// Whether it is one of many that are not told apart: thin and grey, and in no legend.
    pub is_faint: bool,
}

/// Lines over two axes.
#[derive(Clone, Copy, Debug)]
pub struct Curves<'a> {
    /// What is shown.
    pub title: &'a str,
    /// What is counted to the right, with its unit.
    pub x: &'a str,
    /// What is counted upwards, with its unit; the axis begins at 0, or at the least value if that
    /// is less.
    pub y: &'a str,
    /// The lines.
    pub curves: &'a [Curve<'a>],
    /// Where vertical lines stand, with their names.
    pub borders: &'a [(f64, &'a str)],
}

/// Draws `chart`. Curves that are not faint have seven colours in turn, and beyond those other
/// strokes.
///
/// # Panics
/// If a number is not finite.
#[must_use]
pub fn curves(chart: &Curves<'_>) -> String {
    let mut svg = Svg::default();
    head(&mut svg, chart.title, chart.y);
    let named: Vec<&Curve<'_>> = chart.curves.iter().filter(|curve| !curve.is_faint).collect();
    let entries = named.iter().enumerate().map(|(i, curve)| (class("c", i), curve.name));
    let names = STEP * chart.borders.len() as f64;
    let top = HEAD + 26.0 + legend(&mut svg, HEAD + 8.0, entries) + names;
    let plane = Plane::new(chart, top);
    plane.ground(&mut svg);
    for curve in chart.curves.iter().filter(|curve| curve.is_faint) {
        plane.line(&mut svg, curve, "faint");
    }
    plane.borders(&mut svg, chart.borders);
    for (i, curve) in named.iter().enumerate() {
        let dash = (i / COLOURS.len()).min(2);
        plane.line(&mut svg, curve, &format!("curve {} dash{dash}", class("l", i)));
        if curve.points.len() <= MOST_MARKS {
            plane.marks(&mut svg, curve, &class("c", i));
        }
    }
    caption(&mut svg, top + HEIGHT, chart.x);
    let colours = || COLOURS.iter().map(|&(colour, _)| colour);
    let mut rules = rules(RULES);
    rules.extend(fills(colours()));
    rules.extend(colours().enumerate().map(|(i, c)| (format!(".l{i}"), format!("stroke:{c}"))));
    svg.finish("tegula-curves", (WIDTH, top + HEIGHT + 62.0), &style("tegula-curves", &rules, DARK))
}

/// The class of the colour of the curve at `place`.
fn class(letter: &str, place: usize) -> String {
    format!("{letter}{}", place % COLOURS.len())
}

/// The two axes.
struct Plane {
    x: (f64, f64),
    y: (f64, f64),
    top: f64,
}

impl Plane {
    /// Axes that reach as far as all points and borders, upwards to a round number.
    fn new(chart: &Curves<'_>, top: f64) -> Self {
        let points = || chart.curves.iter().flat_map(|curve| curve.points);
        for &(x, y) in points() {
            assert!(x.is_finite() && y.is_finite(), "point ({x}, {y}) of {}", chart.title);
        }
        let borders = chart.borders.iter().map(|&(x, _)| x);
        let x = reach(points().map(|&(x, _)| x).chain(borders)).unwrap_or((0.0, 1.0));
        let (low, high) = reach(points().map(|&(_, y)| y).chain([0.0])).unwrap_or_default();
        let (step, _) = scale(high - low, NUMBERS);
        let y = ((low / step).floor() * step, (high / step).ceil() * step);
        let wide =
            |(low, high): (f64, f64)| if high > low { (low, high) } else { (low, low + 1.0) };
        Self { x: wide(x), y: wide(y), top }
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (px(LEFT + CHART * part(x, self.x)), px(self.top + HEIGHT * (1.0 - part(y, self.y))))
    }

    /// The ground, and lines at round numbers.
    fn ground(&self, svg: &mut Svg) {
        let (top, bottom) = (px(self.top), px(self.top + HEIGHT));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{CHART}\" height=\"{HEIGHT}\" class=\"r\"/>"
        ));
        for (value, label) in round(self.y, NUMBERS) {
            let y = self.place((self.x.0, value)).1;
            svg.line(format_args!("<path d=\"M{} {y}h{}\" class=\"g\"/>", LEFT - 4.0, CHART + 4.0));
            svg.text((LEFT - 10.0, y + 4.0), "e q", &label);
        }
        for (value, label) in round(self.x, NUMBERS) {
            let x = self.place((value, self.y.0)).0;
            svg.line(format_args!("<path d=\"M{x} {top}V{}\" class=\"time\"/>", bottom + 4.0));
            svg.text((x, bottom + 18.0), "m q", &label);
        }
    }

    fn line(&self, svg: &mut Svg, curve: &Curve<'_>, class: &str) {
        let place = |&point: &(f64, f64)| {
            let (x, y) = self.place(point);
            format!("{x} {y}")
        };
        let points: Vec<String> = curve.points.iter().map(place).collect();
        if !points.is_empty() {
            let (path, name) = (points.join("L"), escaped(curve.name));
            svg.line(format_args!(
                "<path d=\"M{path}\" class=\"{class}\"><title>{name}</title></path>"
            ));
        }
    }

    fn marks(&self, svg: &mut Svg, curve: &Curve<'_>, class: &str) {
        for &(x, y) in curve.points {
            let (at, up) = self.place((x, y));
            let about = escaped(&format!("{}: {x}, {y}", curve.name));
            svg.line(format_args!(
                "<circle cx=\"{at}\" cy=\"{up}\" r=\"3\" class=\"{class}\"><title>{about}</title></circle>"
            ));
        }
    }

    /// Vertical lines, each named in a line of its own above the chart, the rightmost lowest.
    fn borders(&self, svg: &mut Svg, borders: &[(f64, &str)]) {
        let mut borders = borders.to_vec();
        borders.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (place, (x, name)) in borders.into_iter().enumerate() {
            let (x, y) = (self.place((x, 0.0)).0, px(self.top - 6.0 - STEP * place as f64));
            let bottom = px(self.top + HEIGHT);
            svg.line(format_args!("<path d=\"M{x} {}V{bottom}\" class=\"border\"/>", y - 10.0));
            let is_left = x < RIGHT - 200.0;
            let (x, class) = if is_left { (x + 5.0, "") } else { (x - 5.0, "e") };
            svg.text((x, y), class, &shortened(name, 40));
        }
    }
}
