//! Values at places of the plane, as points or as cells, with a legend.

use std::fmt::Write;

use crate::chart::{DARK, RULES, dots};
use crate::colour::Colours;
use crate::plane::{CHART, FOOT, LEFT, Plane, TOP, WIDTH};
use crate::scale::{reach, round};
use crate::style::{Rule, made_style, rules};
use crate::svg::{Svg, px};

/// Most places that are drawn as points.
pub const MOST_POINTS: usize = 5000;
/// Cells from side to side of a map of more.
const CELLS: usize = 80;
/// Most cells of a map of a grid.
const MOST_CELLS: usize = 12_000;
/// Colours of a map.
const LEVELS: usize = 24;
/// Heights of the plane of a map.
const HEIGHTS: (f64, f64) = (170.0, 430.0);
/// Sides of a map that differ more than this are not drawn to one scale.
const LONGEST: f64 = 6.0;
/// Height of the legend with its numbers and name.
const LEGEND: f64 = 56.0;

const OWN: &[Rule] = &[(".r", "fill:#ececec"), (".cells", "fill:none;shape-rendering:crispEdges")];
const OWN_DARK: &[Rule] = &[(".r", "fill:#232528")];
/// Share of a scale of amounts that is left out on a dark page, where its first colours are as dark
/// as the ground.
const TOO_DARK: f64 = 0.3;

/// Values at places.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a> {
    /// The places.
    pub points: &'a [(f64, f64)],
    /// A value for each; what is not finite is left out.
    pub values: &'a [f64],
    /// What the axes are.
    pub axes: (&'a str, &'a str),
    /// What the values are.
    pub name: &'a str,
    /// Their colours; of signed ones the middle is 0.
    pub colours: Colours,
    /// Length of a unit upwards in units to the right, where that means something.
    pub aspect: Option<f64>,
}

/// A map with what to say of it.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The figure.
    pub svg: String,
    /// Whether it shows cells with the means of what lies in them, and how many, to the right and
    /// upwards.
    pub cells: Option<(usize, usize)>,
    /// Whether both axes have the same scale.
    pub is_to_scale: bool,
}

/// Draws `map`.
///
/// # Panics
/// If places and values differ in number, or a place is not finite.
#[must_use]
pub fn map(map: &Map<'_>) -> Drawn {
    assert_eq!(map.points.len(), map.values.len(), "places and values");
    let pairs = map.points.iter().copied().zip(map.values.iter().copied());
    let pairs: Vec<((f64, f64), f64)> = pairs.filter(|(_, value)| value.is_finite()).collect();
    let (plane, is_to_scale) = frame(&pairs, map.aspect);
    let grid = Grid::of(&pairs, &plane);
    let cells = grid.as_ref().map(|grid| grid.means(&pairs));
    let shown: Vec<f64> = match &cells {
        Some(cells) => cells.iter().copied().filter(|value| value.is_finite()).collect(),
        None => pairs.iter().map(|(_, value)| *value).collect(),
    };
    let range = range(&shown, map.colours);
    let mut svg = Svg::default();
    plane.ground(&mut svg, map.axes.0, map.axes.1);
    match (&grid, &cells) {
        (Some(grid), Some(cells)) => grid.draw(&mut svg, &plane, cells, range),
        _ => draw_points(&mut svg, &plane, &pairs, range),
    }
    let top = plane.bottom() + FOOT;
    legend(&mut svg, top, range, map.name);
    let mut own = rules(RULES);
    own.extend(rules(OWN));
    let share = |level: usize| (level as f64 + 0.5) / LEVELS as f64;
    let colour = |level: usize| map.colours.at(share(level));
    own.extend((0..LEVELS).map(|k| (format!(".k{k}"), format!("stroke:{}", colour(k)))));
    own.extend((0..LEVELS).map(|k| (format!(".f{k}"), format!("fill:{}", colour(k)))));
    let mut dark = rules(&[DARK, OWN_DARK].concat());
    if map.colours == Colours::Amount {
        let lighter = |level: usize| map.colours.at(TOO_DARK + (1.0 - TOO_DARK) * share(level));
        dark.extend((0..LEVELS).map(|k| (format!(".k{k}"), format!("stroke:{}", lighter(k)))));
        dark.extend((0..LEVELS).map(|k| (format!(".f{k}"), format!("fill:{}", lighter(k)))));
    }
    let style = made_style("tegula-map", &own, &dark);
    let name = match map.colours {
        Colours::Amount => "tegula-map",
        Colours::Signed => "tegula-map signed",
    };
    // The colours of each kind of map are its own.
    let style = match map.colours {
        Colours::Amount => style,
        Colours::Signed => style.replace(".tegula-map ", ".tegula-map.signed "),
    };
    let cells = grid.map(|grid| (grid.x.count, grid.y.count));
    Drawn { svg: svg.finish(name, (WIDTH, top + LEGEND), &style), cells, is_to_scale }
}

/// The axes of a map of these places, and whether they have the same scale.
fn frame(pairs: &[((f64, f64), f64)], aspect: Option<f64>) -> (Plane, bool) {
    let x = reach(pairs.iter().map(|((x, _), _)| *x)).unwrap_or((0.0, 1.0));
    let y = reach(pairs.iter().map(|((_, y), _)| *y)).unwrap_or((0.0, 1.0));
    let margin = |(low, high): (f64, f64)| {
        let more = if high > low { 0.03 * (high - low) } else { 0.5 };
        (low - more, high + more)
    };
    let (x, y) = (margin(x), margin(y));
    let (width, height) = (x.1 - x.0, aspect.unwrap_or(1.0) * (y.1 - y.0));
    let ratio = height / width;
    if aspect.is_none() || !(LONGEST.recip()..=LONGEST).contains(&ratio) {
        return (Plane::new(x, y, 270.0), false);
    }
    let pixels = (ratio * CHART).clamp(HEIGHTS.0, HEIGHTS.1);
    let wider = |(low, high): (f64, f64), times: f64| {
        let (middle, half) = (0.5 * (low + high), 0.5 * times * (high - low));
        (middle - half, middle + half)
    };
    // Where the height is bounded, the shorter side has some room.
    let fits = ratio * CHART / pixels;
    let (x, y) = (wider(x, fits.max(1.0)), wider(y, fits.recip().max(1.0)));
    (Plane::new(x, y, pixels), true)
}

/// The range of the colours.
fn range(values: &[f64], colours: Colours) -> (f64, f64) {
    let (low, high) = reach(values.iter().copied()).unwrap_or((0.0, 1.0));
    if colours == Colours::Signed {
        let most = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
        return (-most, most);
    }
    if high > low { (low, high) } else { (low - 0.5, high + 0.5) }
}

fn level(value: f64, (low, high): (f64, f64)) -> usize {
    (((value - low) / (high - low) * LEVELS as f64) as usize).min(LEVELS - 1)
}

fn draw_points(svg: &mut Svg, plane: &Plane, pairs: &[((f64, f64), f64)], range: (f64, f64)) {
    let size = match pairs.len() {
        0..300 => 8.0,
        300..1200 => 6.0,
        _ => 4.0,
    };
    for k in 0..LEVELS {
        let of_level = pairs.iter().filter(|(_, value)| level(*value, range) == k);
        let path = dots(of_level.map(|(point, _)| plane.place(*point)));
        if !path.is_empty() {
            svg.line(format_args!(
                "<path d=\"{path}\" class=\"dots k{k}\" stroke-width=\"{size}\"/>"
            ));
        }
    }
}

/// Cells along an axis: where the first begins, their width, their number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cells {
    start: f64,
    step: f64,
    count: usize,
}

impl Cells {
    /// Those of numbers that are regular, up to rounding; gaps may be wider by whole steps.
    fn regular(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (first, last) = (*numbers.first()?, *numbers.last()?);
        let apart = 1e-5 * (last - first);
        let gaps = numbers.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > apart);
        let step = gaps.fold(f64::INFINITY, f64::min);
        let count = ((last - first) / step).round();
        if !(count >= 1.0 && count < MOST_CELLS as f64) {
            return None;
        }
        let step = (last - first) / count;
        let is_whole = |x: &f64| {
            let place = (x - first) / step;
            (place - place.round()).abs() < 0.02
        };
        let found = Self { start: first - 0.5 * step, step, count: count as usize + 1 };
        numbers.iter().all(is_whole).then_some(found)
    }

    fn place(&self, x: f64) -> usize {
        (((x - self.start) / self.step) as usize).min(self.count - 1)
    }
}

/// A grid of cells.
#[derive(Clone, Copy, Debug)]
struct Grid {
    x: Cells,
    y: Cells,
}

impl Grid {
    /// The grid that the places lie on, or one that sums them up where they are many.
    fn of(pairs: &[((f64, f64), f64)], plane: &Plane) -> Option<Self> {
        let column =
            |pick: fn((f64, f64)) -> f64| pairs.iter().map(move |(p, _)| pick(*p)).collect();
        let regular = || {
            let (x, y) = (Cells::regular(column(|p| p.0))?, Cells::regular(column(|p| p.1))?);
            let cells = x.count * y.count;
            (cells <= MOST_CELLS && cells <= 4 * pairs.len()).then_some(Self { x, y })
        };
        if let Some(grid) = (pairs.len() >= 50).then(regular).flatten() {
            return Some(grid);
        }
        if pairs.len() <= MOST_POINTS {
            return None;
        }
        let cells = |(low, high): (f64, f64), count: usize| Cells {
            start: low,
            step: (high - low) / count as f64,
            count,
        };
        let up = (CELLS as f64 * plane.height / CHART).round().max(1.0) as usize;
        Some(Self { x: cells(plane.x, CELLS), y: cells(plane.y, up) })
    }

    /// The mean of what lies in each cell, row by row from below; NaN where that is nothing.
    fn means(&self, pairs: &[((f64, f64), f64)]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.x.count * self.y.count];
        for &((x, y), value) in pairs {
            let sum = &mut sums[self.x.place(x) + self.x.count * self.y.place(y)];
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// Draws the cells: a line for each run of one colour, in units of cells.
    fn draw(&self, svg: &mut Svg, plane: &Plane, means: &[f64], range: (f64, f64)) {
        let mut paths = vec![String::new(); LEVELS];
        for (row, means) in means.chunks(self.x.count).enumerate() {
            let levels: Vec<Option<usize>> =
                means.iter().map(|&mean| mean.is_finite().then(|| level(mean, range))).collect();
            let mut start = 0;
            for run in levels.chunk_by(|a, b| a == b) {
                if let Some(k) = run[0] {
                    write!(paths[k], "M{start} {row}h{}", run.len()).expect("a string takes all");
                }
                start += run.len();
            }
        }
        let (left, bottom) = plane.place((self.x.start, self.y.start + 0.5 * self.y.step));
        let right = plane.place((self.x.start + self.x.step, self.y.start)).0 - left;
        let up = bottom - plane.place((self.x.start, self.y.start + 1.5 * self.y.step)).1;
        let digits = |x: f64| (1e4 * x).round() / 1e4;
        svg.line(format_args!(
            "<g transform=\"translate({} {}) scale({} {})\" class=\"cells\" stroke-width=\"1.02\">",
            px(left),
            px(bottom),
            digits(right),
            digits(-up),
        ));
        for (k, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            svg.line(format_args!("<path d=\"{path}\" class=\"k{k}\"/>"));
        }
        svg.line(format_args!("</g>"));
    }
}

/// The colours with their numbers, and what they are.
fn legend(svg: &mut Svg, top: f64, range: (f64, f64), name: &str) {
    let width = CHART / LEVELS as f64;
    for k in 0..LEVELS {
        let x = px(LEFT + k as f64 * width);
        svg.line(format_args!(
            "<rect x=\"{x}\" y=\"{}\" width=\"{}\" height=\"12\" class=\"f{k}\"/>",
            px(top),
            px(width + 0.5)
        ));
    }
    let axis = Plane::new(range, (0.0, 1.0), TOP);
    for (value, label) in round(range, 5.0) {
        let x = px(axis.place((value, 0.0)).0);
        svg.line(format_args!("<path d=\"M{x} {}v4\" class=\"level\"/>", px(top + 12.0)));
        svg.text((x, top + 29.0), "m q", &label);
    }
    svg.text((LEFT + 0.5 * CHART, top + 48.0), "m", name);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[(f64, f64)], values: &[f64], aspect: Option<f64>) -> Drawn {
        let (axes, colours) = (("x", "y"), Colours::Amount);
        map(&Map { points, values, axes, name: "z", colours, aspect })
    }

    #[test]
    fn few_places_are_points_and_what_has_no_value_is_left_out() {
        let points = [(0.0, 0.0), (1.0, 1.0), (0.3, 0.7)];
        let found = drawn(&points, &[1.0, f64::NAN, 2.0], Some(1.0));
        assert!(found.cells.is_none() && found.is_to_scale);
        assert_eq!(found.svg.matches("h0").count(), 2);
    }

    #[test]
    fn the_lowest_colours_are_lighter_on_a_dark_page() {
        let found = drawn(&[(0.0, 0.0), (1.0, 1.0)], &[1.0, 2.0], None).svg;
        let (light, dark) = found.split_once("prefers-color-scheme:dark").expect("both");
        let first = format!(".k0{{stroke:{}", Colours::Amount.at(0.5 / LEVELS as f64));
        assert!(light.contains(&first), "{light}");
        assert!(dark.contains(".k0{stroke:") && !dark.contains(&first), "{dark}");
    }

    #[test]
    fn a_grid_is_its_cells_also_with_gaps() {
        let points: Vec<(f64, f64)> = (0..12)
            .flat_map(|i| (0..10).map(move |j| (f64::from(i) * 40.0, f64::from(j) * 40.0)))
            .filter(|(x, y)| x + y < 700.0)
            .collect();
        let values: Vec<f64> = points.iter().map(|(x, y)| x + y).collect();
        assert_eq!(drawn(&points, &values, Some(1.0)).cells, Some((12, 10)));
    }

    #[test]
    fn many_places_are_summed_up_and_the_figure_stays_small() {
        let n = 90_000;
        let points: Vec<(f64, f64)> =
            (0..n).map(|i| ((f64::from(i) * 0.618).fract(), f64::from(i) / f64::from(n))).collect();
        let values: Vec<f64> = (0..n).map(|i| f64::from(i % 97)).collect();
        let found = drawn(&points, &values, Some(1.0));
        assert_eq!(found.cells.map(|(across, _)| across), Some(CELLS));
        assert!(found.svg.len() < 80_000, "{}", found.svg.len());
    }

    #[test]
    fn sides_that_differ_much_are_not_to_scale() {
        let points = [(0.0, 0.0), (1.0, 100.0)];
        assert!(!drawn(&points, &[1.0, 2.0], Some(1.0)).is_to_scale);
        assert!(drawn(&points, &[1.0, 1.0], Some(0.01)).is_to_scale);
    }
}
